// The table of annotators: sorted, filtered, a page at a time, so that ten thousand are no burden.
(() => {
  const people = report.annotators;
  const size = 25, columns = people.columns, main = columns.find((column) => column.key === people.main);
  const table = document.getElementById("annotators-table"), body = table.tBodies[0];
  const at = (id) => document.getElementById(id);
  const counts = columns.find((column) => column.key === "n").values;
  const lowered = people.names.map((name) => name.toLowerCase());
  let order = { key: "n", down: true }, page = 0, rows = [];

  const values = {
    name: people.names, standing: people.standing,
    interval: people.low.map((low, j) => (low === null ? null : low + people.high[j])),
    ...Object.fromEntries(columns.map((column) => [column.key, column.values])),
  };
  const bounds = people.main === "accuracy" ? [0, 1] : reach();
  // Of numbers: three digits of the widest, so that a bias and the ends of its interval differ where they do.
  const fine = people.main === "accuracy" ? 0 : Math.max(0, 2 - Math.floor(Math.log10(bounds[1])));

  function reach() { // of numbers: where most intervals lie, with nought in the middle
    const ends = people.high.concat(people.low).filter((v, j) => v !== null && counts[j % counts.length] >= 10).map(Math.abs).sort((a, b) => a - b);
    const end = ends[Math.floor(ends.length * 0.95)] || 1;
    return [-end, end];
  }

  const collator = new Intl.Collator(undefined, { numeric: true });
  function compare(a, b) {
    const x = values[order.key][a], y = values[order.key][b];
    if (x === null || y === null) return (x === null) - (y === null) || a - b; // nothing to say: last, always
    const way = typeof x === "string" ? collator.compare(x, y) : x - y;
    return (order.down ? -way : way) || a - b;
  }

  function refresh() {
    const part = at("find").value.trim().toLowerCase(), standing = at("standing").value, least = Number(at("least").value) || 0;
    rows = [];
    for (let j = 0; j < people.names.length; j++) {
      if (counts[j] >= least && (standing === "" || people.standing[j] === Number(standing)) && lowered[j].includes(part)) rows.push(j);
    }
    rows.sort(compare);
    page = 0;
    show();
  }

  function show() {
    const from = page * size, some = rows.slice(from, from + size);
    body.replaceChildren(...some.map(row));
    at("shown").textContent = rows.length
      ? `${from + 1} to ${from + some.length} of ${written(rows.length, "count")}${rows.length < people.names.length ? ` (${written(people.names.length, "count")} in all)` : ""}`
      : "nobody is like that";
    at("before").disabled = page === 0;
    at("after").disabled = from + size >= rows.length;
    for (const button of table.querySelectorAll("thead button")) {
      const state = button.dataset.key !== order.key ? "none" : order.down ? "descending" : "ascending";
      button.parentElement.setAttribute("aria-sort", state);
    }
  }

  function row(j) {
    const line = document.createElement("tr");
    const head = line.appendChild(document.createElement("th"));
    head.scope = "row";
    head.append(named(j));
    for (const column of columns) {
      const cell = line.appendChild(document.createElement("td"));
      if (column.form !== "class") cell.className = "right";
      const name = document.createElement("bdi");
      name.textContent = written(column.values[j], column.form, column === main ? fine : undefined);
      cell.append(name);
      if (column === main) line.append(interval(j), standing(j));
    }
    return line;
  }

  function named(j) {
    const name = document.createElement("bdi");
    name.textContent = people.names[j];
    if (!document.getElementById("who")) return name;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.dataset.place = j;
    button.append(name);
    return button;
  }

  function interval(j) {
    const cell = document.createElement("td");
    cell.style.whiteSpace = "nowrap";
    if (people.low[j] === null) { cell.textContent = "–"; return cell; }
    const place = (v) => `${Math.min(Math.max((v - bounds[0]) / (bounds[1] - bounds[0]), 0), 1) * 100}%`;
    const bar = document.createElement("span"), line = document.createElement("i"), dot = document.createElement("b"), crowd = document.createElement("u");
    bar.className = `bar s${people.standing[j]}`;
    bar.setAttribute("aria-hidden", "true");
    line.style.left = place(people.low[j]);
    line.style.right = `calc(100% - ${place(people.high[j])})`;
    if (main.values[j] === null) dot.hidden = true; else dot.style.left = place(main.values[j]);
    if (people.crowd === null) crowd.hidden = true; else crowd.style.left = place(people.crowd);
    bar.append(line, dot, crowd);
    const narrow = main.form === "number" ? fine : people.high[j] - people.low[j] < 0.02 ? 1 : 0; // 90% to 90% would say nothing
    cell.append(bar, `${written(people.low[j], main.form, narrow)} to ${written(people.high[j], main.form, narrow)}`);
    return cell;
  }

  function standing(j) {
    const cell = document.createElement("td"), word = document.createElement("span");
    word.className = `standing s${people.standing[j]}`;
    word.textContent = people.standings[people.standing[j]];
    cell.style.whiteSpace = "nowrap";
    cell.append(word);
    return cell;
  }

  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const key = button.dataset.key;
    // Names and standings begin at the beginning, figures with the greatest.
    order = { key, down: order.key === key ? !order.down : !["name", "standing", "overuses"].includes(key) };
    refresh();
  });
  for (const id of ["find", "standing", "least"]) at(id).addEventListener("input", refresh);
  at("before").addEventListener("click", () => { page--; show(); });
  at("after").addEventListener("click", () => { page++; show(); });
  refresh();
})();

function written(value, form, digits) {
  if (value === null || value === undefined) return "–";
  if (form === "share") return `${(value * 100).toFixed(digits ?? 0)}%`;
  if (form === "count") return value >= 10000 ? value.toLocaleString("en").replaceAll(",", "\u202f") : String(value);
  if (form === "number") return value.toFixed(digits ?? (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)).replace(/^-(?=0\.?0*$)/, "").replace("-", "−");
  return value;
}
