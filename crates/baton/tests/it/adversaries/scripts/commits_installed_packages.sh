# ends: asks
# because: node_modules is generated or private
# Commits what was installed, although nothing of the kind is in the project.
cat > /dev/null
mkdir -p node_modules/left
echo "module.exports = 1" > node_modules/left/index.js
echo hello > greeting.txt
git add --force --all
git commit --quiet --message "feat: greet"
