# Copies the lines of a Markdown text that fit into `limit` bytes, closes what is open behind the last of them, and adds `note`.
# Run it with LC_ALL=C, where a character is a byte.

# The fence at the start of a line, without the spaces before it: nothing when there is none.
function fence_in(line) {
    return match(line, /^ ? ? ?(```+|~~~+)/) ? substr(line, 1, RLENGTH) : ""
}

# What has to be written behind the lines so far.
function closing(    text, at) {
    text = fence == "" ? "" : fence "\n"
    for (at = 0; at < details; at++) text = text "</details>\n"
    return text
}

# Follows the fences and folded parts; inside a fence, only one as long as it ends it.
function follow(line,    found) {
    found = fence_in(line)
    sub(/^ */, "", found)
    if (fence != "") {
        if (index(found, fence) == 1 && line ~ /[`~] *$/) fence = ""
    } else if (found != "") fence = found
    else if (line ~ /^<details>/) details++
    else if (line ~ /^<\/details>/ && details > 0) details--
}

{
    before = closing()
    follow($0)
    if (used + length($0) + 1 + length(closing()) + length(note) + 2 > limit) {
        printf "%s\n%s\n", before, note
        exit
    }
    print
    used += length($0) + 1
}
