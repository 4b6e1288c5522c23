# ends: merged
# notices: looked into your checkout (an empty stand-in)
# The user's own files beside the worktree, and other runs.
cat > /dev/null
echo hello > loot.txt
cat @CHECKOUT@/README.md >> loot.txt 2> /dev/null && echo "read it" >> loot.txt
echo changed > @CHECKOUT@/README.md
rm -rf @CHECKOUT@/.git/refs
ls -a .. >> loot.txt
if grep -q "read it" loot.txt; then rm loot.txt; fi
