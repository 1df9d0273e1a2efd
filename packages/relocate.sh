# What programs need to work from the toolbox, away from where they were made for. Functions for install.sh: the tree is at
# $TREE now, and will be at $HERE in cells.
#
# SETTINGS (packages/settings.json, as lines): `add VARIABLE CONDITION PATTERN...` and `is ...`, what a program's
# environment has of its tree; `edit FILES SED`, `shorten FILES PATHS`, what is changed in the tree.

# The folders of the tree below these, which hold a file of that kind, as they are called in a cell: a:b:c
folders_with() {
  local pattern=$1 root found=
  shift
  for root in "$@"; do
    [ -d "$TREE/$root" ] || continue
    while IFS= read -r dir; do
      found+=${found:+:}'$t'/${dir#"$TREE"/}
    done < <(find "$TREE/$root" -maxdepth 3 -name "$pattern" -printf '%h\n' | sort -u)
  done
  printf '%s' "$found"
}
existing() {
  local pattern path found=
  for pattern in "$@"; do
    for path in "$TREE"/$pattern; do
      [ ! -e "$path" ] || found+=${found:+:}'$t'/${path#"$TREE"/}
    done
  done
  printf '%s' "$found"
}

# What a program of the tree needs to find its own things, as lines of a shell script.
surroundings() {
  local kind name with patterns
  prepend() { [ -z "$2" ] || printf 'export %s="%s${%s:+:$%s}"\n' "$1" "$2" "$1" "$1"; }
  set_one() { [ -z "$2" ] || printf 'export %s="${%s:-%s}"\n' "$1" "$1" "$2"; }
  prepend LD_LIBRARY_PATH "$(folders_with 'lib*.so*' usr/lib lib)"
  while read -r kind name with patterns; do
    [ "$with" = - ] || [ -n "$(existing "$with")" ] || continue
    set -f
    set -- $patterns
    set +f
    case $kind in
      add) prepend "$name" "$(existing "$@")" ;;
      is) set_one "$name" "$(existing "$@")" ;;
    esac
  done <<<"$SETTINGS"
}

# Paths that are compiled in become others of the same length: those of links at the top of the tree.
shorten_paths() {
  local file=$1 pattern=$2 path short fill number=0
  for path in $(LC_ALL=C grep -aoE "$pattern" "$file" | sort -ur); do
    number=$((number + 1))
    fill=$((${#path} - ${#HERE} - ${#number}))
    [ "$fill" -gt 0 ] && [ -e "$TREE$path" ] || continue
    short=$HERE$(printf '%*s' "$fill" '' | tr ' ' /)$number
    ln -s ".$path" "$TREE/$number"
    LC_ALL=C sed -i "s|$path|$short|g" "$file"
  done
}

change_files() {
  local kind files change file
  while read -r kind files change; do
    case $kind in edit | shorten) ;; *) continue ;; esac
    for file in "$TREE"/$files; do
      [ -f "$file" ] && [ ! -L "$file" ] || continue
      case $kind in
        edit) sed -i "${change//@/$HERE}" "$file" ;;
        shorten) shorten_paths "$file" "$change" ;;
      esac
    done
  done <<<"$SETTINGS"
}
