// Matrices of what was said of what: the crowd's, any annotator's, and the parts of a model.
(() => {
  const few = 5, far = 0.15, many = 6, long = 4;
  for (const [place, part] of report.parts.entries()) { // chances, not counts
    fill(document.querySelector(`[data-matrix="part-${place}"]`), report.classes, report.classes, part, null, false);
  }
  const confusions = report.confusions;
  if (!confusions) return;
  const names = report.annotators.names, crowd = confusions.crowd;
  const one = document.querySelector('[data-matrix="one"]'), input = document.getElementById("who"), note = document.getElementById("who-note");
  const busiest = confusions.order, list = document.getElementById("names");
  let current = busiest[0];

  fill(document.querySelector('[data-matrix="crowd"]'), confusions.truths, confusions.labels, crowd, null, true);

  function choose(j) {
    current = j;
    input.value = names[j];
    one.caption.textContent = "";
    const name = document.createElement("bdi");
    name.textContent = names[j];
    one.caption.append(name);
    const packed = confusions.matrices[j];
    if (packed === undefined) {
      for (const part of [one.tHead, ...one.tBodies]) part?.remove();
      note.textContent = "no matrix here: no label, or left out to keep the page small";
      return;
    }
    const flat = packed.split(",").map((text) => Number(text) / 10), width = confusions.labels.length;
    const rows = confusions.truths.map((_, k) => flat.slice(k * width, (k + 1) * width));
    const total = rows.flat().reduce((a, b) => a + b, 0);
    note.textContent = `${total.toFixed(0)} labels${total < few * confusions.truths.length ? ": too few to say much" : ""}`;
    fill(one, confusions.truths, confusions.labels, rows, crowd, true);
  }

  function suggest() {
    const part = input.value.trim().toLowerCase(), found = [];
    for (const j of busiest) {
      if (names[j].toLowerCase().includes(part)) found.push(j);
      if (found.length === 20) break;
    }
    list.replaceChildren(...found.map((j) => { const option = document.createElement("option"); option.value = names[j]; return option; }));
    const exact = names.indexOf(input.value);
    if (exact >= 0 && exact !== current) choose(exact);
  }

  function step(by) {
    const place = busiest.indexOf(current);
    choose(busiest[(place + by + busiest.length) % busiest.length]);
  }

  input.addEventListener("input", suggest);
  input.addEventListener("focus", () => input.select());
  input.addEventListener("change", () => { if (names.indexOf(input.value) < 0) { note.textContent = "there is nobody of that name"; } });
  document.getElementById("busier").addEventListener("click", () => step(-1));
  document.getElementById("idler").addEventListener("click", () => step(1));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.link");
    if (!button) return;
    const j = button.dataset.place !== undefined ? Number(button.dataset.place) : names.indexOf(button.dataset.who);
    if (j < 0) return;
    choose(j);
    document.getElementById("confusions").scrollIntoView();
    input.focus({ preventScroll: true });
  });
  suggest();
  choose(current);

  // counts: whether rows are counts (else chances); against: the matrix to compare with.
  function fill(table, truths, labels, rows, against, counts) {
    for (const part of [table.tHead, ...table.tBodies]) part?.remove();
    table.classList.toggle("tall", labels.length > many && labels.some((label) => label.length > long));
    const head = table.createTHead().insertRow();
    head.append(header("believed ╲ said", null));
    for (const label of labels) head.append(header(label, "col"));
    const body = table.createTBody();
    rows.forEach((row, k) => {
      const line = body.insertRow(), total = row.reduce((a, b) => a + b, 0), enough = !counts || total >= few;
      const name = header(truths[k], "row");
      if (counts) { const size = document.createElement("small"); size.textContent = ` ${total >= 10 ? total.toFixed(0) : total.toFixed(1)}`; name.append(size); }
      line.append(name);
      line.classList.toggle("few", !enough);
      row.forEach((value, l) => line.append(cell(value, total, k, l, labels, enough, against && against[k])));
    });
  }

  function cell(value, total, k, l, labels, enough, theirs) {
    const td = document.createElement("td"), share = total > 0 ? value / total : null;
    if (share === null) { td.textContent = "–"; td.className = "nought"; return td; }
    td.textContent = share > 0 && share < 0.005 ? "<1" : (share * 100).toFixed(0);
    td.title = `${(share * 100).toFixed(1)}%, ${value.toFixed(1)} labels`;
    td.classList.toggle("nought", share < 0.005);
    const right = k === l, tone = right ? Math.round(share * 42) : Math.round(Math.min(share * 1.3, 1) * 58);
    if (enough && tone > 0) td.style.background = `color-mix(in srgb, var(${right ? "--accent" : "--below"}) ${tone}%, transparent)`;
    if (enough && theirs) {
      const all = theirs.reduce((a, b) => a + b, 0);
      td.classList.toggle("apart", all > 0 && Math.abs(share - theirs[l] / all) > far);
    }
    return td;
  }

  function header(text, scope) {
    const th = document.createElement("th"), name = document.createElement("span"), inner = document.createElement("bdi");
    if (scope) th.scope = scope;
    inner.textContent = text;
    name.append(inner);
    th.append(name);
    th.title = text;
    return th;
  }
})();
