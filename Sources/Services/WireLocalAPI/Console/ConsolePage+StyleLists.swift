extension ConsolePage {
    static let styleLists = #"""
        .columns { display: grid; gap: 2.5rem clamp(2rem, 3.5vw, 4rem); padding-bottom: 4rem; }
        .column { display: grid; gap: 2.5rem; align-content: start; min-width: 0; }
        .columns > *, .column > * { min-width: 0; }
        .bar { display: flex; justify-content: space-between; align-items: baseline; gap: 0.25rem 1.5rem; flex-wrap: wrap; padding-bottom: 0.375rem; border-bottom: 1px solid var(--strong-line); }
        table { width: 100%; border-collapse: collapse; }
        th, td { text-align: left; vertical-align: baseline; padding: 0.4375rem 0.75rem 0.4375rem 0; font-weight: inherit; }
        th:last-child, td:last-child { padding-right: 0; }
        th.number, td.number { text-align: right; white-space: nowrap; }
        thead th { font-size: 0.8125rem; color: var(--faint); padding-block: 0.375rem; white-space: nowrap; }
        tbody tr { border-top: 1px solid var(--line); }
        thead + tbody tr:first-child { border-top-color: var(--line); }
        .services .state, .generations .state { white-space: nowrap; }
        .services .state { padding-right: 1.5rem; }
        .state .mark { margin-right: 0.5rem; }
        .about { width: 100%; min-width: 0; }
        .services .name, .generations .about .name { margin-right: 0.625rem; font-weight: 600; overflow-wrap: anywhere; }
        .tag { display: inline-block; margin-right: 0.625rem; color: var(--faint); font-size: 0.8125rem; white-space: nowrap; }
        .tag.is-ready { color: var(--ready); }
        .tag.is-starting { color: var(--starting); }
        .fault { display: grid; gap: 0.125rem; margin-top: 0.125rem; max-width: 60rem; }
        .fault p { overflow-wrap: anywhere; }
        .fault .reason { color: var(--soft); }
        .fault.is-failed .reason { color: var(--failed); }
        .fault.is-degraded .reason { color: var(--degraded); }
        .fault .help { color: var(--soft); }
        .fault .place { color: var(--soft); font-size: 0.8125rem; }
        .notice .fault .reason { color: var(--ink); }
        .about .meta { display: none; }
        .some { font-weight: 600; }
        .generations td { white-space: nowrap; }
        .generations .about { white-space: normal; }
        .generations .current > * { background: linear-gradient(var(--sunken), var(--sunken)) no-repeat; }
        .generations th.number { padding-left: 0.25rem; color: var(--soft); }
        .generations .current th.number { color: var(--ink); font-weight: 650; }
        .generations .row-acts { text-align: right; padding-left: 0.5rem; }
        .row-acts button + button { margin-left: 0.5rem; }

        .filter { display: flex; gap: 0.75rem; align-items: center; padding: 0.5rem 0; font-size: 0.8125rem; color: var(--faint); }
        .filter label { flex: none; }
        .filter input { flex: 1; min-width: 0; color: var(--ink); }
        .scroll { max-height: 34rem; overflow-y: auto; overscroll-behavior: contain; border-top: 1px solid var(--line); }
        .log li { border-bottom: 1px solid var(--line); font-size: 0.8125rem; }
        .log .gap { padding: 0.375rem 0; color: var(--faint); text-align: center; }
        .log summary { display: grid; grid-template-columns: auto auto minmax(0, 1fr); gap: 0 0.625rem; align-items: baseline; padding: 0.3125rem 0.25rem 0.3125rem 0; cursor: pointer; list-style: none; }
        .log summary::-webkit-details-marker { display: none; }
        .log summary:hover { background: var(--sunken); }
        .log summary:focus-visible { outline-offset: -2px; }
        .log time { color: var(--faint); }
        .log .mark { width: 0.5rem; height: 0.5rem; }
        .event-line { overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
        .event-name { margin-right: 0.375rem; }
        .event-text { color: var(--soft); }
        .event-text b { font-weight: 600; color: var(--ink); }
        .log details[open] .event-line { -webkit-line-clamp: none; display: block; }
        .log details pre { margin: 0.25rem 0 0.5rem; padding: 0.625rem 0.75rem; background: var(--sunken); border-radius: 4px; overflow-x: auto; max-height: 20rem; white-space: pre-wrap; overflow-wrap: anywhere; }

        @media (min-width: 72rem) {
          .columns { grid-template-columns: minmax(0, 1.75fr) minmax(22rem, 1fr); }
          .events { position: sticky; top: 1rem; align-self: start; }
          .scroll { max-height: calc(100vh - 8rem); }
        }
        @media (max-width: 43.99rem) {
          body { font-size: 0.9375rem; }
          .overview { grid-template-columns: minmax(0, 1fr); gap: 1rem; padding-top: 0.5rem; }
          .live { order: 2; margin-left: auto; }
          .origin { order: 3; flex-basis: 100%; }
          .facts { gap: 0.25rem 1.25rem; }
          .acts button { flex: 1; padding-inline: 0.5rem; font-size: 0.875rem; }
          .services thead, .generations thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
          .services td.number { display: none; }
          .services .state { padding-right: 0.75rem; }
          .services .state .mark { margin-right: 0; }
          .services .state span:last-child:not(:only-child) { position: absolute; clip-path: inset(50%); width: 1px; overflow: hidden; }
          .about .meta { display: block; }
          .scroll { max-height: 24rem; }
          .generations td:nth-child(n+3):nth-child(-n+6) { display: none; }
          .generations .row-acts { white-space: normal; }
          .generations .row-acts button { display: block; margin: 0 0 0 auto; }
        }
        @media (min-width: 44rem) and (max-width: 87.99rem) {
          .generations td:nth-child(3), .generations th:nth-child(3) { display: none; }
        }
        """# + "\n"
}
