extension ConsolePage {
    static let styleDialogs = #"""
        .dialog {
          width: min(46rem, calc(100vw - 1.5rem)); max-width: none; max-height: min(52rem, calc(100dvh - 1.5rem)); padding: 0;
          border: 1px solid var(--line); border-radius: 10px; background: var(--raised); color: var(--ink);
          box-shadow: 0 1.5rem 4rem rgb(0 0 0 / 22%); overflow: hidden;
        }
        .dialog.broad { width: min(84rem, calc(100vw - 1.5rem)); }
        .dialog[open] { display: flex; flex-direction: column; }
        .dialog::backdrop { background: var(--veil); }
        .dialog-head { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; padding: 1rem 1.25rem 0.5rem; }
        .dialog-head h2 { font-size: 1.1875rem; letter-spacing: -0.015em; }
        .dialog-body { padding: 0.25rem 1.25rem 1.25rem; overflow-y: auto; overflow-wrap: anywhere; min-height: 8rem; }
        .dialog-body:focus { outline: none; }
        .dialog-foot { display: flex; gap: 0.75rem 1.5rem; justify-content: space-between; align-items: center; flex-wrap: wrap; padding: 0.875rem 1.25rem; border-top: 1px solid var(--line); }
        .dialog-foot button.main { margin-left: auto; }
        .dialog-foot:empty { display: none; }
        .choices { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: center; font-size: 0.8125rem; color: var(--soft); flex: 1 1 16rem; }
        .choices select { color: var(--ink); }
        .check { display: flex; gap: 0.5rem; align-items: center; }
        .lead { color: var(--soft); }
        fieldset { border: 0; min-width: 0; }
        .environments { display: flex; flex-wrap: wrap; gap: 0.375rem; }
        legend { padding: 0; margin-bottom: 0.375rem; color: var(--faint); font-size: 0.8125rem; }
        .choice { display: flex; align-items: center; gap: 0.5rem; padding: 0.3125rem 0.75rem; border: 1px solid var(--line); border-radius: 6px; cursor: pointer; overflow-wrap: anywhere; }
        .choice:hover { border-color: var(--strong-line); }
        .choice:has(:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
        .choice:has(:disabled) { color: var(--faint); cursor: default; border-color: var(--line); }
        .choice .tag { margin: 0; }
        .choice:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
        .choice :focus-visible { outline: none; }
        .outcome { display: flex; align-items: baseline; gap: 0.625rem; margin: 1.25rem 0 0.75rem; }
        .outcome strong { font-weight: 600; color: var(--ink); }
        #change-result > .outcome:first-child { margin-top: 0.25rem; }
        #change-result > p:not(.outcome) { margin-bottom: 0.875rem; color: var(--soft); }
        .deeds { border-bottom: 1px solid var(--line); }
        .deeds th { width: 12.5rem; white-space: nowrap; font-weight: 600; }
        .meaning { display: block; font-weight: 400; font-size: 0.8125rem; color: var(--faint); }
        .deed.is-stop .deed-name { color: var(--failed); }
        .deed.is-restart .deed-name { color: var(--degraded); }
        .deed.is-start .deed-name { color: var(--starting); }
        .deed.is-keep .deed-name, .deed.is-keep .names { color: var(--soft); font-weight: 400; }
        .names { overflow-wrap: anywhere; }
        .names .note::before { content: "· "; margin-left: 0.375rem; }
        .settings li { padding: 0.4375rem 0; border-top: 1px solid var(--line); font-size: 0.875rem; overflow-wrap: anywhere; }
        .settings .path { font-size: 0.8125rem; }
        .settings .place { color: var(--faint); }
        .settings del { text-decoration-color: var(--failed-mark); color: var(--soft); }
        .settings ins { text-decoration: none; background: var(--new); padding: 0 0.1875rem; border-radius: 2px; }
        .troubles { display: grid; gap: 0.5rem; margin-top: 0.375rem; min-width: 0; }
        .troubles .reason { overflow-wrap: anywhere; }
        .trouble .name { font-weight: 600; }
        .diagnostics { min-width: 0; margin-top: 0.25rem; }
        .diagnostics pre { padding: 0.875rem 1rem; background: var(--sunken); border-radius: 4px; overflow: auto; max-height: 26rem; line-height: 1.45; font-size: 0.8125rem; tab-size: 4; }
        .diagnostics-head { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; padding-bottom: 0.25rem; }
        .files { overflow: auto; margin-top: 0.75rem; border: 1px solid var(--line); border-radius: 4px; max-height: 60vh; }
        .files:empty { display: none; }
        .lines { font: 0.8125rem/1.5 var(--code); table-layout: fixed; min-width: 30rem; }
        .lines.sides { min-width: 52rem; }
        .lines tr { border: 0; }
        .lines td { padding: 0 0.5rem; vertical-align: top; }
        .line { white-space: pre-wrap; overflow-wrap: anywhere; position: relative; }
        .lines td.line { padding-left: 1.5rem; }
        .line .sign { position: absolute; left: 0.5rem; }
        .line.is-old { background: var(--old); }
        .line.is-new { background: var(--new); }
        .line.is-absent { background: var(--sunken); }
        col.line-number { width: 3.5rem; }
        .lines td.line-number { text-align: right; color: var(--faint); user-select: none; }
        .skipped td { padding: 0.25rem 1rem; color: var(--faint); background: var(--sunken); text-align: center; font-family: var(--sans); }
        @media (max-width: 43.99rem) {
          .lines:not(.sides) { min-width: 0; }
          col.line-number { width: 2.5rem; }
          .lines td.line-number { padding-left: 0; }
          .deeds th { width: 5rem; }
          .meaning { display: none; }
          .dialog-foot button.main { flex: 1; }
        }
        """# + "\n"
}
