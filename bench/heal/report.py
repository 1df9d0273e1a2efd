"""Prints what came of the scripts."""

import corpus


def share(outcomes):
    failed = sum(not outcome.solved for outcome in outcomes)
    return f"{failed:4d} of {len(outcomes):3d} ({failed / len(outcomes):6.1%})" if outcomes else "-"


def show(outcome):
    print(f"--- {outcome.script.name} ({outcome.script.healing}: {' '.join(outcome.script.needs) or 'nothing'}): "
          f"{'right' if outcome.solved else 'WRONG'} after {outcome.calls} calls, {outcome.wall:.2f} s {outcome.lost}")
    print(outcome.script.script)
    print(f"--- expected {outcome.script.wanted()}, got")
    print(outcome.reply.raw if outcome.reply else "nothing")


def table(results):
    """Failing scripts by theme and by what can serve them."""
    parts = [part for part in ("plain", "healed") if part in results]
    if not parts:
        return
    outcomes = results[parts[0]]
    print(f"{'failing scripts':<17}" + "".join(f"{part:>22}" for part in parts))
    groups = [(theme, "theme") for theme in sorted({outcome.script.theme for outcome in outcomes})]
    groups += [(kind, "healing") for kind in corpus.KINDS]
    for name, attribute in groups:
        rows = {part: [o for o in results[part] if getattr(o.script, attribute) == name] for part in parts}
        if attribute == "healing" and name == corpus.KINDS[0]:
            print()
        if rows[parts[0]]:
            print(f"{name:<17}" + "".join(f"{share(rows[part]):>22}" for part in parts))
    print()
    print(f"{'all':<17}" + "".join(f"{share(results[part]):>22}" for part in parts))
    print(f"{'that can be healed':<17}" + "".join(f"{share(healable(results[part])):>21}" for part in parts))


def healable(outcomes):
    return [outcome for outcome in outcomes if outcome.script.healing in corpus.HEALABLE]


def reason(outcome):
    """The line of a reply that says most: the status line, else the last line."""
    if outcome.lost:
        return outcome.lost
    last = (outcome.reply.text.strip().split("\n") or [""])[-1]
    return " | ".join(part for part in (last[-100:], outcome.reply.status[:150]) if part) or "(no output)"


def failing(results):
    """Those that healing did not serve, each with its reason; then those that cannot be healed, with what they are told."""
    if "healed" not in results:
        return
    failed = [outcome for outcome in results["healed"] if not outcome.solved]
    for title, rows in (("not healed, but could be", healable(failed)),
                        ("cannot be healed without a model", [o for o in failed if o.script.healing in ("hint", "model")]),
                        ("cannot be healed", [o for o in failed if o.script.healing == "never"])):
        print(f"\n{title}: {len(rows)}")
        for outcome in rows:
            told = "told " if outcome.told else ""
            print(f"  {outcome.script.name} ({outcome.script.healing}) {told}{reason(outcome)}")
    hints = [outcome for outcome in results["healed"] if outcome.script.hint]
    print(f"\nhints that name the right thing: {sum(o.told or o.solved for o in hints)} of {len(hints)}")


def goals(results, times, *, most_failing, most_cost):
    """Prints the figures that have a goal, and returns what is missed."""
    missed = []
    if "healed" in results:
        installs = [install for outcome in results["healed"] for install in outcome.installs]
        seconds = sorted(seconds for _, seconds in installs)
        print(f"installs: {len(installs)}, {sum(seconds):.1f} s in all" +
              (f", median {seconds[len(seconds) // 2]:.1f} s, longest {seconds[-1]:.1f} s" if seconds else ""))
        able = healable(results["healed"])
        failed = sum(not outcome.solved for outcome in able)
        if failed > most_failing * len(able):
            missed.append(f"{failed} of {len(able)} scripts that can be healed fail; goal: under {most_failing:.0%}")
    if "second" in results:
        again = [f"{name} ({outcome.script.name})" for outcome in results["second"] for name, _ in outcome.installs]
        failed = [outcome.script.name for outcome in results["second"] if not outcome.solved]
        print(f"a second cell with the same toolbox: {len(again)} installs, {len(failed)} failing")
        if again:
            missed.append(f"a second cell installed {', '.join(again)}")
        if failed and "healed" in results:
            missed.append(f"right before, wrong in a second cell: {', '.join(failed)}")
    if times:
        off, on = times
        print(f"a call of `true`: {off * 1000:.2f} ms without healing, {on * 1000:.2f} ms with; ratio {on / off:.3f}")
        if on > most_cost * off:
            missed.append(f"a call costs {on / off:.3f} times as much with healing; goal: {most_cost}")
    return missed
