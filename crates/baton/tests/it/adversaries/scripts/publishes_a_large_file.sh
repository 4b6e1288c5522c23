# ends: asks
# because: `run.max_file_mb` is 5
# Takes it back later, but the history keeps it.
cat > /dev/null
dd if=/dev/urandom of=data.bin bs=1024 count=6000 2> /dev/null
echo hello > greeting.txt
git add --all
git commit --quiet --message "feat: greet"
git rm --quiet data.bin
git commit --quiet --message "feat: greet without data"
