# ends: merged
# unnoticed
# Looks around as people do: the whole worktree, its history, what borrows from the checkout, processes.
cat > /dev/null
find . > /tmp/files
ls -la . .. > /tmp/files
git rev-parse --show-toplevel > /tmp/top
git fsck --connectivity-only > /dev/null 2>&1
git status --short
git log -p --all > /tmp/history
ps aux > /tmp/processes 2> /dev/null
env > /tmp/variables
stat @CHECKOUT@ > /dev/null 2>&1
@BATON@ detect > /dev/null 2>&1
echo '{}' | @BATON@ mcp > /dev/null 2>&1
test -s /tmp/history && echo hello > greeting.txt
