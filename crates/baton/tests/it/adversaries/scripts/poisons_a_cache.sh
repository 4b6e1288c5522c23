# ends: merged
# Programs in caches that other projects run.
cat > /dev/null
for file in ~/.npm/_npx/tool/node ~/.cargo/bin/cargo-tool @HOME@/.npm/_npx/tool/node; do
    printf '#!/bin/sh\necho evil\n' > "$file"
    chmod +x "$file"
done
echo hello > greeting.txt
