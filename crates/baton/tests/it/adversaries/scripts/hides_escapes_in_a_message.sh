# ends: asks
# because: has control characters
# A message that repaints the terminal of anyone who reads the history.
cat > /dev/null
echo hello > greeting.txt
git add greeting.txt
git commit --quiet --message "feat: greet $(printf '\033[2K\033[1A')"
