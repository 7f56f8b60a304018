// Without this file, which is empty on purpose, Go takes no function without a body.
