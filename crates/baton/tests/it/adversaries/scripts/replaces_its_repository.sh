# ends: merged
# notices: replaced its repository
# Makes its folder look like a worktree of the user's checkout.
cat > /dev/null
rm -rf .git
echo "gitdir: @CHECKOUT@/.git" > .git
echo hello > greeting.txt
