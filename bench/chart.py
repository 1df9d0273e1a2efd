"""Bars as SVG: panels below each other, each with a scale of its own that starts at 0."""

from xml.sax.saxutils import escape

WIDTH, LABELS, BAR, GAP, TITLE = 760, 210, 18, 6, 34
OURS, OTHERS, INK, PAPER = "#1a7f4b", "#9aa4ad", "#24292f", "#ffffff"


def amount(value):
    if value >= 1e6:
        return f"{value / 1e6:.1f} M"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def panel(top, title, unit, rows):
    largest = max(value for _, value, _ in rows) or 1
    room = WIDTH - LABELS - 110
    yield f'<text x="10" y="{top + 22}" font-weight="bold">{escape(title)} <tspan font-weight="normal">({escape(unit)})</tspan></text>'
    for i, (label, value, is_ours) in enumerate(rows):
        y = top + TITLE + i * (BAR + GAP)
        width = max(1.5, room * value / largest)
        yield f'<text x="{LABELS - 8}" y="{y + 13}" text-anchor="end">{escape(label)}</text>'
        yield f'<rect x="{LABELS}" y="{y}" width="{width:.1f}" height="{BAR}" rx="2" fill="{OURS if is_ours else OTHERS}"/>'
        yield f'<text x="{LABELS + width + 6:.1f}" y="{y + 13}">{amount(value)}</text>'


def svg(panels):
    """`panels`: a list of (title, unit, [(label, value, is ours)])."""
    parts, top = [], 6
    for title, unit, rows in panels:
        parts += panel(top, title, unit, rows)
        top += TITLE + len(rows) * (BAR + GAP) + 8
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" viewBox="0 0 {WIDTH} {top}" '
            f'font-family="sans-serif" font-size="13" fill="{INK}">')
    return "\n".join([head, f'<rect width="{WIDTH}" height="{top}" fill="{PAPER}"/>', *parts, "</svg>"]) + "\n"
