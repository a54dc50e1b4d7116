// What differs between the effective files of two generations.

const comparison = { ticket: 0, files: new Map(), edits: undefined };

function openComparison(number) {
  const records = [...current.generations].sort((one, other) => other.generation - one.generation);
  const running = current.status.generation;
  const from = number ?? records.find((record) => record.generation !== running)?.generation;
  const options = () => records.map((record) => element("option", { value: record.generation },
    `${record.generation} · ${environmentText(record, "none")}${record.current ? " · running" : ""}`));
  byId("compare-from").replaceChildren(...options());
  byId("compare-to").replaceChildren(...options());
  byId("compare-from").value = String(from);
  byId("compare-to").value = String(records.some((record) => record.current) ? running : from);
  byId("compare-sides").checked = window.innerWidth >= 1000;
  byId("compare-whole").checked = from === running;
  openDialog(byId("compare"));
  compare();
}

async function effectiveFile(number) {
  // A generation never changes, so its file is requested once.
  if (!comparison.files.has(number)) {
    comparison.files.set(number, String(await ask("GET", `/v1/generations/${encodeURIComponent(number)}`)));
  }
  return comparison.files.get(number);
}

async function compare() {
  const ticket = ++comparison.ticket;
  const [from, to] = [byId("compare-from").value, byId("compare-to").value];
  byId("compare-sum").textContent = "Loading…";
  byId("compare-files").replaceChildren();
  try {
    const [old, next] = await Promise.all([effectiveFile(from), effectiveFile(to)]);
    if (ticket !== comparison.ticket) return;
    comparison.edits = edits(lines(old), lines(next));
    showComparison();
  } catch (failure) {
    if (ticket !== comparison.ticket) return;
    comparison.edits = undefined;
    byId("compare-sum").textContent = `The generations cannot be compared: ${failure.message}`;
  }
}
const lines = (text) => text.replace(/\r?\n$/, "").split(/\r?\n/);

// The shortest edit script (Myers' greedy algorithm); beyond a bound, everything between the first and the last
// difference.
function edits(old, next) {
  let start = 0, oldEnd = old.length, nextEnd = next.length;
  while (start < oldEnd && start < nextEnd && old[start] === next[start]) start++;
  while (oldEnd > start && nextEnd > start && old[oldEnd - 1] === next[nextEnd - 1]) { oldEnd--; nextEnd--; }
  const same = (from, to) => old.slice(from, to).map((text) => ({ kind: "same", text }));
  return [...same(0, start), ...middleEdits(old.slice(start, oldEnd), next.slice(start, nextEnd)),
    ...same(oldEnd, old.length)];
}
function middleEdits(old, next) {
  const wholesale = () => [...old.map((text) => ({ kind: "old", text })), ...next.map((text) => ({ kind: "new", text }))];
  if (!old.length || !next.length) return wholesale();
  const reach = new Map([[1, 0]]), trace = [];
  const goesDown = (k, d, at) => k === -d || (k !== d && at.get(k - 1) < at.get(k + 1));
  const bound = Math.min(old.length + next.length, 1_500);
  for (let d = 0; d <= bound; d++) {
    trace.push(new Map(reach));
    for (let k = -d; k <= d; k += 2) {
      let x = goesDown(k, d, reach) ? reach.get(k + 1) : reach.get(k - 1) + 1;
      while (x < old.length && x - k < next.length && old[x] === next[x - k]) x++;
      reach.set(k, x);
      if (x >= old.length && x - k >= next.length) return walkBack(old, next, trace, goesDown);
    }
  }
  return wholesale();
}
function walkBack(old, next, trace, goesDown) {
  const found = [];
  let x = old.length, y = next.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const at = trace[d], k = x - y;
    const from = goesDown(k, d, at) ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : at.get(from), fromY = d === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) { found.push({ kind: "same", text: old[--x] }); y--; }
    if (d > 0) found.push(x === fromX ? { kind: "new", text: next[--y] } : { kind: "old", text: old[--x] });
  }
  return found.reverse();
}

function showComparison() {
  const found = comparison.edits;
  if (!found) return;
  const removed = found.filter(({ kind }) => kind === "old").length;
  const added = found.filter(({ kind }) => kind === "new").length;
  const isWhole = byId("compare-whole").checked;
  byId("compare-sum").textContent = removed || added
    ? `${count(removed, "line")} removed, ${added} added; secrets are hidden`
    : "The effective configurations are equal; secrets are hidden";
  const bySides = byId("compare-sides").checked;
  byId("compare-files").replaceChildren(...(removed || added || isWhole
    ? [comparisonTable(found, isWhole, bySides)] : []));
}

// Lines with their numbers, unchanged ones only near a change.
function comparisonTable(found, isWhole, bySides) {
  let oldLine = 0, newLine = 0;
  const numbered = found.map((edit) => ({ ...edit,
    old: edit.kind === "new" ? undefined : ++oldLine, next: edit.kind === "old" ? undefined : ++newLine }));
  const near = new Set();
  numbered.forEach(({ kind }, index) => {
    if (kind !== "same") for (let other = index - 3; other <= index + 3; other++) near.add(other);
  });
  const rowsMade = [];
  let hidden = 0;
  const tellHidden = () => {
    if (hidden) rowsMade.push(element("tr", { class: "skipped" },
      element("td", { colspan: bySides ? 4 : 3 }, `${count(hidden, "unchanged line")}`)));
    hidden = 0;
  };
  for (let index = 0; index < numbered.length; index++) {
    if (!isWhole && !near.has(index)) { hidden++; continue; }
    tellHidden();
    if (!bySides) {
      rowsMade.push(lineRow(numbered[index]));
      continue;
    }
    if (numbered[index].kind === "same") {
      rowsMade.push(sideRow(numbered[index], numbered[index]));
      continue;
    }
    // A run of changes stands side by side, old lines beside new ones.
    const olds = [], news = [];
    for (; index < numbered.length && numbered[index].kind !== "same"; index++) {
      (numbered[index].kind === "old" ? olds : news).push(numbered[index]);
    }
    index--;
    for (let at = 0; at < Math.max(olds.length, news.length); at++) rowsMade.push(sideRow(olds[at], news[at]));
  }
  tellHidden();
  return element("table", { class: bySides ? "lines sides" : "lines" },
    element("caption", { class: "unseen" }, "Lines of both configurations"),
    element("colgroup", {}, (bySides ? ["line-number", "", "line-number", ""] : ["line-number", "line-number", ""])
      .map((name) => element("col", { class: name }))), element("tbody", {}, rowsMade));
}
const lineNumber = (number) => element("td", { class: "line-number" }, number === undefined ? "" : String(number));
function lineText(line, isThere = true) {
  const [look, sign, name] = !isThere || !line ? ["absent", "", ""] : line.kind === "old" ? ["old", "−", "removed: "]
    : line.kind === "new" ? ["new", "+", "added: "] : ["same", " ", ""];
  return element("td", { class: `line is-${look}` },
    sign && element("span", { class: "sign", "aria-hidden": "true" }, sign),
    name && element("span", { class: "unseen" }, name), line ? line.text : "");
}
const lineRow = (line) => element("tr", {}, lineNumber(line.old), lineNumber(line.next), lineText(line));
const sideRow = (one, other) => element("tr", {}, lineNumber(one?.old), lineText(one), lineNumber(other?.next),
  lineText(other));
