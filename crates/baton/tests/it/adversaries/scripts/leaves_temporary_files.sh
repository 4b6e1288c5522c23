# ends: merged
# unnoticed
# Names in the temporary folder that other programs use.
cat > /dev/null
for folder in /tmp /var/tmp "$TMPDIR"; do echo evil > "$folder/planted-@MARK@"; done
echo hello > greeting.txt
