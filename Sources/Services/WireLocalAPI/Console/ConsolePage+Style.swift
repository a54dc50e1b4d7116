extension ConsolePage {
    /// Type, ink and hairlines; colour is kept for states.
    ///
    /// All text has at least the contrast of WCAG AA on its ground, in the light and in the dark.
    static let style = stylePaper + styleOverview + stylePerson + styleLists + stylePanels + styleDialogs

    private static let stylePaper = #"""
        :root {
          color-scheme: light dark;
          --paper: #faf9f6; --raised: #ffffff; --sunken: #f2f0eb; --ink: #1d1c1a; --soft: #57534c; --faint: #6b675f;
          --line: #dedad2; --strong-line: #8d887e; --accent: #8f4514;
          --ready: #1f7145; --degraded: #8a5a00; --failed: #b3261e; --starting: #235fa8; --quiet: #6b675f;
          --ready-mark: #2f8f5b; --degraded-mark: #c98a1b; --failed-mark: #d0453a; --starting-mark: #3f78c9;
          --quiet-mark: #a19c92;
          --old: #fbe9e6; --new: #e4f3e8; --veil: rgb(30 28 24 / 35%);
          --sans: ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", "DejaVu Sans", sans-serif;
          --code: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "Noto Sans Mono", "Liberation Mono", "DejaVu Sans Mono", monospace;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #151618; --raised: #1c1d20; --sunken: #1f2023; --ink: #e9e6e0; --soft: #b7b2a8; --faint: #9a958b;
            --line: #2f3034; --strong-line: #75726b; --accent: #e59a63;
            --ready: #6cc795; --degraded: #e3b055; --failed: #f28b82; --starting: #8db9f2; --quiet: #9a958b;
            --ready-mark: #4cae7b; --degraded-mark: #d79c34; --failed-mark: #e5655a; --starting-mark: #5b93dd;
            --quiet-mark: #6c6961;
            --old: #3a211f; --new: #1a3325; --veil: rgb(0 0 0 / 60%);
          }
        }
        *, ::before, ::after { box-sizing: border-box; }
        [hidden] { display: none !important; }
        html { background: var(--paper); scrollbar-color: var(--quiet-mark) transparent; }
        body {
          margin: 0; color: var(--ink); font: 400 0.9375rem/1.5 var(--sans); font-variant-numeric: tabular-nums;
          -webkit-text-size-adjust: 100%; overflow-wrap: break-word; border-top: 3px solid var(--look, var(--quiet-mark));
        }
        body[data-look=ready] { --look: var(--ready-mark); }
        body[data-look=degraded] { --look: var(--degraded-mark); }
        body[data-look=failed] { --look: var(--failed-mark); }
        body[data-look=starting] { --look: var(--starting-mark); }
        body:is([data-connection=lost], [data-connection=door]) { --look: var(--quiet-mark); }
        h1, h2, h3, p, dl, dd, ol, ul, pre, fieldset { margin: 0; padding: 0; }
        ol, ul { list-style: none; }
        h2 { font-size: 1rem; font-weight: 650; letter-spacing: -0.005em; }
        h3 { font-size: 0.875rem; font-weight: 650; margin: 1.25rem 0 0.375rem; }
        h2:focus { outline: none; }
        .code, code { font-family: var(--code); font-size: 0.92em; }
        .wrap { overflow-wrap: anywhere; }
        .faint { color: var(--faint); }
        .strong { font-weight: 650; }
        .number { text-align: right; }
        .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
        .skip { position: absolute; left: 0.5rem; top: -4rem; padding: 0.5rem 0.75rem; background: var(--raised); color: var(--ink); z-index: 3; }
        .skip:focus { top: 0.5rem; }
        .sum, .none, .label, .note, .meta { color: var(--faint); font-size: 0.8125rem; }
        .none { padding: 0.75rem 0; }
        .error { color: var(--failed); }
        .page-note { padding: 2rem; }
        :is(.is-ready) { color: var(--ready); }
        :is(.is-degraded) { color: var(--degraded); }
        :is(.is-failed) { color: var(--failed); }
        :is(.is-starting) { color: var(--starting); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
        button, select, input { font: inherit; color: inherit; }
        button {
          padding: 0.375rem 0.875rem; border: 1px solid var(--strong-line); border-radius: 6px; background: var(--raised);
          color: var(--ink); cursor: pointer; white-space: nowrap;
        }
        button:hover:not(:disabled) { border-color: var(--ink); }
        button:disabled { color: var(--faint); border-color: var(--line); cursor: default; }
        button.main:not(:disabled) { background: var(--ink); border-color: var(--ink); color: var(--paper); }
        button.main:hover:not(:disabled) { background: var(--soft); border-color: var(--soft); }
        button.plain {
          padding: 0.125rem 0.25rem; margin: 0 -0.25rem; border: 0; background: none; color: var(--accent); font-size: 0.8125rem;
          min-height: 1.5rem;
        }
        button.plain:hover { text-decoration: underline; text-underline-offset: 3px; }
        input[type=text], select { padding: 0.25rem 0.5rem; border: 1px solid var(--strong-line); border-radius: 6px; background: var(--raised); max-width: 100%; }
        input::placeholder { color: var(--faint); opacity: 1; }
        input[type=radio], input[type=checkbox] { accent-color: var(--accent); margin: 0; width: 1rem; height: 1rem; flex: none; }

        /* A state has a shape as well as a colour. */
        .mark { display: inline-block; flex: none; width: 0.625rem; height: 0.625rem; border: 2px solid var(--quiet-mark); border-radius: 50%; forced-color-adjust: none; }
        .mark.is-ready { border-color: var(--ready-mark); background: var(--ready-mark); }
        .mark.is-degraded { border-color: var(--degraded-mark); background: linear-gradient(90deg, var(--degraded-mark) 50%, transparent 50%); }
        .mark.is-failed { border-color: var(--failed-mark); background: var(--failed-mark); border-radius: 1px; transform: rotate(45deg) scale(0.9); }
        .mark.is-starting, .mark.is-draining { border-color: var(--starting-mark); }
        .mark.is-draining { background: linear-gradient(0deg, var(--starting-mark) 50%, transparent 50%); }
        .mark.is-starting { animation: breathe 1.6s ease-in-out infinite; }
        .mark.is-inert { border-style: dashed; border-width: 1.5px; }
        .mark.is-stopped, .mark.is-quiet { background: var(--quiet-mark); transform: scale(0.6); }
        @keyframes breathe { 50% { opacity: 0.35; } }
        @media (prefers-reduced-motion: reduce) {
          *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
        }
        """# + "\n"

    private static let styleOverview = #"""
        .top, main, .lost { padding-inline: clamp(1rem, 3.2vw, 3rem); max-width: 104rem; margin-inline: auto; }
        .top { display: flex; align-items: baseline; gap: 0.25rem 1.25rem; padding-block: 0.875rem; flex-wrap: wrap; }
        .wordmark { font-weight: 650; letter-spacing: -0.01em; }
        .origin { display: flex; flex-wrap: wrap; gap: 0 1.25rem; color: var(--soft); font-size: 0.8125rem; min-width: 0; flex: 1; }
        .origin span { overflow-wrap: anywhere; }
        .live { font-size: 0.8125rem; color: var(--faint); }
        .live::before { content: ""; display: inline-block; width: 0.4375rem; height: 0.4375rem; border-radius: 50%; margin-right: 0.4375rem; background: var(--quiet-mark); vertical-align: 0.0625rem; }
        [data-connection=live] .live::before { background: var(--ready-mark); }
        .lost {
          position: sticky; top: 0; z-index: 2; display: flex; gap: 0.25rem 1.5rem; align-items: baseline; flex-wrap: wrap;
          justify-content: space-between; padding-block: 0.625rem; max-width: none; color: var(--paper); background: var(--ink);
        }
        .lost button.plain { color: inherit; text-decoration: underline; text-underline-offset: 3px; font-size: inherit; }
        .lost :focus-visible { outline-color: currentColor; }
        /* Colour says how things are now; without a connection nobody knows. */
        [data-connection=lost] #console { filter: grayscale(1); }
        .overview { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 1rem 2rem; padding-block: 1.25rem 1.5rem; align-items: end; }
        .label { margin-bottom: 0.125rem; }
        h1 { font-size: clamp(2.25rem, 5.5vw, 3.5rem); line-height: 1.05; font-weight: 650; letter-spacing: -0.03em; overflow-wrap: anywhere; }
        .readiness { margin-top: 0.625rem; font-size: 1.0625rem; color: var(--soft); }
        .readiness .mark { margin-right: 0.5rem; vertical-align: 0.0625rem; }
        .readiness strong { color: var(--ink); font-weight: 650; margin-right: 0.5rem; }
        .acts { display: flex; gap: 0.5rem; flex-wrap: wrap; }
        .wire { grid-column: 1 / -1; display: flex; gap: 2px; height: 6px; }
        .wire:empty { display: none; }
        .wire span { flex: 1; min-width: 2px; background: var(--quiet-mark); border-radius: 1px; forced-color-adjust: none; }
        .wire .is-ready { background: var(--ready-mark); }
        .wire .is-degraded { background: var(--degraded-mark); }
        .wire .is-failed { background: var(--failed-mark); }
        .wire :is(.is-starting, .is-draining) { background: var(--starting-mark); }
        .facts { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; }
        .facts div { display: flex; gap: 0.5rem; align-items: baseline; min-width: 0; }
        .facts dt { color: var(--faint); font-size: 0.8125rem; }
        .facts dd { font-size: 0.875rem; overflow-wrap: anywhere; min-width: 0; }
        .notices { display: grid; gap: 1rem; }
        .notices:not(:empty) { margin-bottom: 2rem; }
        .notice { padding: 0.875rem 1.125rem; border: 1px solid var(--line); border-left: 3px solid var(--quiet-mark); border-radius: 4px; background: var(--raised); min-width: 0; overflow-wrap: anywhere; }
        .notice, .notice :is(h2, p) { color: var(--ink); }
        .notice.is-failed { border-left-color: var(--failed-mark); }
        .notice.is-starting { border-left-color: var(--starting-mark); }
        .notice-head { display: flex; justify-content: space-between; align-items: center; gap: 0.75rem 2rem; flex-wrap: wrap; }
        .notice summary { cursor: pointer; }
        .notice summary h2 { display: inline; }
        .notice .sum { color: var(--faint); }
        .countdown { font-weight: 650; }
        .fuse { height: 3px; margin-top: 0.75rem; background: var(--line); border-radius: 2px; overflow: hidden; }
        .fuse span { display: block; height: 100%; background: var(--starting-mark); forced-color-adjust: none; }
        .door { padding-block: clamp(2rem, 12vh, 8rem) 3rem; display: grid; gap: 1rem; }
        .door > * { max-width: 38rem; }
        .door h1 { font-size: 2.25rem; }
        .door p { color: var(--soft); }
        .door .command { display: flex; justify-content: space-between; align-items: center; gap: 1rem; padding: 0.75rem 1rem; background: var(--sunken); border-radius: 6px; color: var(--ink); }
        .door .command code { font-size: 1rem; }
        """# + "\n"
}
