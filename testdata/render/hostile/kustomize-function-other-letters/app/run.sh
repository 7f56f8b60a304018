#!/bin/sh
touch "@MARKER@"
cat
