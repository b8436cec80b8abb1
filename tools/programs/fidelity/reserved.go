package main

import (
	"strings"
	"unicode"
)

// reservedSuffix ends names that the engine takes for placeholders of its own, whatever they are: it fails at such a
// file, or stores what that names, and gives up at such a folder. It sees them without the suffix, and so does what keeps
// them from it.
const reservedSuffix = ".kopia-entry"

// mostHidingRules is how many the engine is given: it tries each on every path.
const mostHidingRules = 256

// unseenOf are the names in a folder that the engine must not see, with those that it would take them for: no rule tells
// the two apart. Below a folder that it does not see there is nothing to keep from it.
func (s *scanner) unseenOf(folder string, names []string, reserved bool) map[string]bool {
	if reserved || s.sparing {
		return nil
	}
	var unseen map[string]bool
	for _, name := range names {
		shown, found := strings.CutSuffix(name, reservedSuffix)
		if !found {
			continue
		}
		if unseen == nil {
			unseen = map[string]bool{}
		}
		unseen[name], unseen[shown] = true, true
		if len(s.seen.Rules) <= mostHidingRules {
			s.seen.Rules = append(s.seen.Rules, hidingRule(folder, shown))
		}
	}
	return unseen
}

// hidingRule is a pattern that matches one path alone, but for bytes that are not UTF-8. A slash at its end belongs to a
// name that is all suffix, and would otherwise say that the folder is meant. In the root there is a rule only for a folder
// of that name: the engine reports the file.
func hidingRule(folder, shown string) string {
	path := shown
	if folder != "" {
		path = folder + "/" + shown
	}
	if path == "" {
		return "//"
	}
	var rule strings.Builder
	rule.WriteByte('/')
	for at, r := range path {
		switch {
		case strings.ContainsRune(`\*?[`, r):
			rule.WriteString(`\` + string(r))
		case unicode.IsSpace(r), r == '/' && at == len(path)-1:
			rule.WriteString("[" + string(r) + "]")
		default:
			rule.WriteRune(r)
		}
	}
	return rule.String()
}
