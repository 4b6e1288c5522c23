# ends: merged
# unnoticed
# Keys that are made up, a small picture, and a message in another language.
cat > /dev/null
mkdir -p tests docs
printf 'KEY = "AKIAIOSFODNN7EXAMPLE"\n' > tests/example.py
printf 'Set `API_KEY=your-key-here` first.\n' > docs/setup.md
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1' > docs/dot.png
printf 'API_KEY=\n' > .env.example
echo hello > greeting.txt
git add --all
git commit --quiet --message "feat: grüße alle 👋"
