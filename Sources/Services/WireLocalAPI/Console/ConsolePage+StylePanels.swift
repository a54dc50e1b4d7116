extension ConsolePage {
    static let stylePanels = #"""
        .panels { display: grid; gap: 2.5rem; }
        .panels:not(:has(> :not([hidden]))) { display: none; }
        .panel .bar .sum { flex: 1; }
        .panel-acts { display: flex; gap: 0.75rem; }
        .panel-error { padding: 0.5rem 0; }
        .panel-body > .sum { padding-top: 0.5rem; }
        .panel-table .state { white-space: nowrap; padding-right: 1.25rem; }
        .panel-table .about .name, .panel-line .name { font-weight: 600; overflow-wrap: anywhere; }
        .panel-table .about .name { margin-right: 0.625rem; }
        .panel-table .row-acts { text-align: right; white-space: nowrap; }
        .panel-table td.tight { white-space: nowrap; }
        .panel-list li { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
        .panel-line { display: flex; gap: 0.625rem; align-items: baseline; }
        .panel-line .name { flex: 1; min-width: 0; }
        .panel-line .row-acts { white-space: nowrap; }
        .panel progress { display: block; width: 100%; height: 0.375rem; margin: 0.375rem 0 0.25rem; border: 0; border-radius: 3px; overflow: hidden; background: var(--sunken); appearance: none; }
        .panel progress::-webkit-progress-bar { background: var(--line); border-radius: 3px; }
        .panel progress::-webkit-progress-value { background: var(--starting-mark); border-radius: 3px; transition: width 0.3s linear; }
        .panel progress::-moz-progress-bar { background: var(--starting-mark); border-radius: 3px; }
        [data-state=failed] progress::-webkit-progress-value { background: var(--failed-mark); }
        [data-state=failed] progress::-moz-progress-bar { background: var(--failed-mark); }
        :is([data-state=paused], [data-state=waiting]) progress::-webkit-progress-value { background: var(--quiet-mark); }
        :is([data-state=paused], [data-state=waiting]) progress::-moz-progress-bar { background: var(--quiet-mark); }
        .panel-facts { display: grid; gap: 0.375rem; padding-top: 0.5rem; }
        .panel-facts > div { display: grid; grid-template-columns: 6rem minmax(0, 1fr); gap: 0.75rem; align-items: baseline; }
        .panel-facts dt { color: var(--faint); font-size: 0.8125rem; }
        .panel-facts dd { overflow-wrap: anywhere; min-width: 0; }
        .sync-form { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: 0.75rem 1.5rem; align-items: end; padding-top: 0.75rem; }
        :is(.sync-form label, .sync-merge) { display: grid; gap: 0.25rem; color: var(--faint); font-size: 0.8125rem; min-width: 0; }
        :is(.sync-form, .sync-merge) :is(select, textarea) { color: var(--ink); width: 100%; }
        .sync-form > :is(.whole, .error) { grid-column: 1 / -1; }
        .sync-form > button { justify-self: start; }
        .sync-merge { margin-top: 1rem; }
        textarea { font: inherit; padding: 0.375rem 0.5rem; border: 1px solid var(--strong-line); border-radius: 6px; background: var(--raised); resize: vertical; }
        textarea.code { font-family: var(--code); font-size: 0.8125rem; }
        .sync-answer:not(:empty) { padding-top: 0.5rem; overflow-wrap: anywhere; }
        .sync-data { padding: 0.625rem 0.75rem; background: var(--sunken); border-radius: 4px; overflow: auto; max-height: 24rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.8125rem; }
        @media (max-width: 43.99rem) {
          .panel-table thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .panel-table td.wide { display: none; }
        }
        """# + "\n"
}
