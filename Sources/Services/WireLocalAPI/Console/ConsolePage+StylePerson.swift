extension ConsolePage {
    static let stylePerson = #"""
        .person { margin-top: 0.25rem; padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); }
        #person-face { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: 0 1rem; align-items: center; }
        .portrait { width: 2.75rem; height: 2.75rem; border-radius: 50%; display: grid; place-items: center; background: var(--line); color: var(--soft); font-weight: 650; letter-spacing: 0.02em; user-select: none; }
        .portrait svg { width: 1.5rem; height: 1.5rem; }
        [data-state=signedIn] .portrait { background: var(--ink); color: var(--paper); }
        [data-state=blocked] .portrait { color: var(--failed); }
        .person-about { min-width: 0; min-height: 3rem; display: grid; align-content: center; overflow-wrap: anywhere; }
        .person-about h2 { font-size: 1.125rem; letter-spacing: -0.015em; line-height: 1.3; }
        .soft { color: var(--soft); font-size: 0.875rem; }
        .person-acts { display: flex; gap: 0.5rem 0.75rem; align-items: center; flex-wrap: wrap; justify-content: flex-end; }
        .person-rest { grid-column: 2 / -1; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; min-width: 0; overflow-wrap: anywhere; }
        .person-rest:has(> :not(:empty)) { margin-top: 0.75rem; }
        .person-rest > :empty, .person-acts:empty { display: none; }
        a { color: var(--accent); text-underline-offset: 3px; }
        a.button { padding: 0.375rem 0.875rem; border: 1px solid var(--strong-line); border-radius: 6px; background: var(--raised); color: var(--ink); text-decoration: none; white-space: nowrap; }
        a.button:hover { border-color: var(--ink); }
        a.button.main { background: var(--ink); border-color: var(--ink); color: var(--paper); }
        .trouble-block { display: grid; gap: 0.25rem; padding: 0.75rem 1rem; border-left: 3px solid var(--failed-mark); border-radius: 4px; background: var(--sunken); overflow-wrap: anywhere; }
        .trouble-block + .trouble-block { margin-top: 0.75rem; }
        .trouble-block.is-calm { border-left-color: var(--degraded-mark); }
        .guidance { font-size: 1.0625rem; font-weight: 600; line-height: 1.4; white-space: pre-line; }
        .is-calm .guidance { font-size: 0.9375rem; }
        .cause { color: var(--soft); font-size: 0.8125rem; }
        .pin-form { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: end; }
        .pin { display: grid; gap: 0.25rem; font-size: 0.8125rem; color: var(--soft); }
        .pin input { width: 11rem; max-width: 100%; padding: 0.4375rem 0.625rem; border: 1px solid var(--strong-line); border-radius: 6px; background: var(--paper); color: var(--ink); font-size: 1.125rem; letter-spacing: 0.2em; }
        .pin-form button { min-height: 2.5rem; }
        .device { display: flex; flex-wrap: wrap; gap: 1.25rem 2rem; align-items: center; }
        .user-code { font-size: clamp(1.75rem, 7vw, 2.75rem); font-weight: 650; letter-spacing: 0.06em; line-height: 1.2; user-select: all; overflow-wrap: anywhere; }
        .matrix { padding: 0; background: #fff; color: #000; border-radius: 6px; border: 1px solid var(--line); line-height: 0; overflow: hidden; forced-color-adjust: none; }
        .matrix svg { width: 10.5rem; height: 10.5rem; }
        .person-more > summary { cursor: pointer; color: var(--accent); font-size: 0.8125rem; width: fit-content; }
        .person-facts { display: grid; gap: 0.5rem; margin-top: 0.625rem; }
        .person-facts .same { display: contents; }
        .person-facts div:not(.same) { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: 0.75rem; align-items: baseline; }
        .person-facts dt { color: var(--faint); font-size: 0.8125rem; }
        .person-facts dd { font-size: 0.875rem; overflow-wrap: anywhere; min-width: 0; }
        .person-facts pre { padding: 0.625rem 0.75rem; background: var(--sunken); border-radius: 4px; overflow: auto; max-height: 16rem; white-space: pre-wrap; }
        .chip { display: inline-block; margin: 0 0.375rem 0.25rem 0; padding: 0 0.5rem; border: 1px solid var(--line); border-radius: 1rem; font-size: 0.8125rem; }
        @media (max-width: 43.99rem) {
          .person { padding: 0.875rem 1rem; margin-bottom: 0.75rem; }
          .portrait { align-self: start; }
          .person-acts { grid-column: 1 / -1; justify-content: stretch; margin-top: 0.75rem; }
          .person-acts > :is(button, a):not(.plain) { flex: 1; text-align: center; }
          .person-rest { grid-column: 1 / -1; }
          .device { justify-content: center; text-align: center; }
          .pin-form > :not(.plain) { flex: 1 1 8rem; }
          .pin input { width: 100%; }
          .person-facts div:not(.same) { grid-template-columns: minmax(0, 1fr); gap: 0; }
        }
        """# + "\n"
}
