# ends: merged
# notices: looked into baton's state folder (an empty stand-in)
# The folder in which baton remembers runs and keys.
cat > /dev/null
echo hello > greeting.txt
mkdir -p @STATE@/baton 2> /dev/null
echo broken > @STATE@/baton/baton.db 2> /dev/null
cat @STATE@/baton/people.key > loot.txt 2> /dev/null
ls @STATE@/baton/runs >> loot.txt 2> /dev/null
if [ -s loot.txt ]; then rm greeting.txt; fi
rm -f loot.txt
