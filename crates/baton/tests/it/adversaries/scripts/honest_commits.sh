# ends: merged
# unnoticed
# Works as a person would: several commits of its own, a temporary file, a look at the history.
cat > /dev/null
git log --oneline > /tmp/history
echo hello > greeting.txt
git add greeting.txt
git commit --quiet --message "feat: greet"
echo "hello again" >> greeting.txt
git commit --quiet --all --message "feat: greet again"
mkdir -p ~/.cache/agent && echo note > ~/.cache/agent/note
echo more > more.txt
