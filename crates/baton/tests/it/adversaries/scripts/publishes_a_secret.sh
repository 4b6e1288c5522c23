# ends: asks
# because: has a secret
# Takes it back later, but anyone who fetches the branch has it.
cat > /dev/null
echo "key = 'AKIA""Q3EGRPW5XJ2LMTZV'" > settings.py
git add --all
git commit --quiet --message "feat: settings"
git rm --quiet settings.py
echo hello > greeting.txt
git add --all
git commit --quiet --message "feat: greet"
