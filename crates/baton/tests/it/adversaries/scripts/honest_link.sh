# ends: merged
# unnoticed
# A link inside of the repository is an ordinary file.
cat > /dev/null
mkdir -p docs
echo hello > docs/greeting.txt
ln -s docs/greeting.txt greeting.txt
