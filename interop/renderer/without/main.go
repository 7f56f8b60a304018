//go:build linux

// Command without becomes another program, for which the kernel is one without Landlock: a filter of system calls answers in its place.
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// What Linux calls them; package syscall has no names for these. The number of the call is the same on every processor.
const (
	prSetSeccomp          = 22
	prSetNoNewPrivs       = 38
	modeFilter            = 2
	landlockCreateRuleset = 444
	returnErrno           = 0x00050000
	returnAllow           = 0x7fff0000
)

func main() {
	// A filter belongs to a thread.
	runtime.LockOSThread()
	filter := []syscall.SockFilter{
		{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS},
		{Code: syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, Jf: 1, K: landlockCreateRuleset},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: returnErrno | uint32(syscall.ENOSYS)},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: returnAllow},
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	for _, args := range [][3]uintptr{{prSetNoNewPrivs, 1}, {prSetSeccomp, modeFilter, uintptr(unsafe.Pointer(&program))}} {
		if _, _, number := syscall.RawSyscall6(syscall.SYS_PRCTL, args[0], args[1], args[2], 0, 0, 0); number != 0 {
			fmt.Fprintln(os.Stderr, "the filter:", number)
			os.Exit(99)
		}
	}
	fmt.Fprintln(os.Stderr, syscall.Exec(os.Args[1], os.Args[1:], os.Environ()))
	os.Exit(99)
}
