extension ConsolePage {
    static let head = #"""
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="referrer" content="same-origin">
        <title>corewire</title>
        <link rel="icon" id="icon" href="data:,">
        """#

    /// What stands on the page before anything is known; the script fills it.
    static let markup = #"""
        <a class="skip" href="#services-title">Skip to the services</a>
        <div id="announcer" class="unseen" role="status"></div>
        <div id="lost" class="lost" role="alert" hidden>
          <p><strong>Connection lost.</strong> <span id="lost-text"></span></p>
          <button type="button" id="lost-retry" class="plain">Try now</button>
        </div>
        <header class="top">
          <p class="wordmark">corewire</p>
          <p class="origin"><span id="app"></span><span id="file" class="code"></span></p>
          <p id="live" class="live">connecting</p>
        </header>
        <noscript><p class="page-note">The console needs JavaScript. In a terminal, <code>corewire status</code> says
          the same.</p></noscript>
        <main id="signed-out" class="door" hidden>
          <h1>Not signed in</h1>
          <p>The console is open to whoever may use this runner. In a terminal on this machine, run</p>
          <p class="command"><code>corewire console</code><button type="button" id="door-copy" class="plain">Copy</button></p>
          <p>It opens this page with a link that signs you in. If that happened in another tab, this one follows by
            itself.</p>
          <p><button type="button" id="door-retry">Try again</button></p>
        </main>
        <main id="console" hidden>
          <section id="person" class="person" aria-labelledby="person-title" hidden>
            <p id="person-heard" class="unseen" role="status"></p>
            <div id="person-face"></div>
          </section>
          <section class="overview" aria-labelledby="environment">
            <div class="title">
              <p class="label">Environment</p>
              <h1 id="environment"></h1>
              <p id="readiness" class="readiness"></p>
            </div>
            <div class="acts">
              <button type="button" id="switch">Switch environment…</button>
              <button type="button" id="reload">Reload the file…</button>
            </div>
            <div id="wire" class="wire" aria-hidden="true"></div>
            <dl id="facts" class="facts"></dl>
          </section>
          <div id="notices" class="notices"></div>
          <div class="columns">
            <div class="column">
              <section aria-labelledby="services-title">
                <div class="bar"><h2 id="services-title" tabindex="-1">Services</h2><p id="services-sum" class="sum"></p></div>
                <table id="services" class="services">
                  <thead><tr><th scope="col">State</th><th scope="col">Service</th><th scope="col" class="number">Since</th>
                    <th scope="col" class="number">In flight</th><th scope="col" class="number">Restarts</th>
                    <th scope="col" class="number">Generation</th></tr></thead>
                  <tbody></tbody>
                </table>
                <p id="services-none" class="none" hidden>This environment asks for no service.</p>
              </section>
              <div id="panels" class="panels"></div>
              <section aria-labelledby="generations-title">
                <div class="bar"><h2 id="generations-title">Generations</h2>
                  <button type="button" id="compare-open" class="plain">Compare two…</button></div>
                <table id="generations" class="generations">
                  <thead><tr><th scope="col" class="number">No.</th><th scope="col">Environment</th><th scope="col">Content</th>
                    <th scope="col">Asked for by</th><th scope="col">When</th><th scope="col">Outcome</th>
                    <th scope="col"><span class="unseen">What can be done</span></th></tr></thead>
                  <tbody></tbody>
                </table>
                <p id="generations-none" class="none" hidden>No generation is kept.</p>
              </section>
            </div>
            <section class="events" aria-labelledby="events-title">
              <div class="bar"><h2 id="events-title">Events</h2>
                <button type="button" id="events-pause" class="plain" aria-pressed="false">Pause</button></div>
              <p class="filter"><label for="events-filter">Name begins with</label>
                <input id="events-filter" type="text" class="code" placeholder="service." autocomplete="off"
                  autocapitalize="off" spellcheck="false"></p>
              <div id="events-scroll" class="scroll" tabindex="0" role="region" aria-label="List of events">
                <ol id="events" class="log"></ol>
                <p id="events-none" class="none">No event yet.</p>
              </div>
            </section>
          </div>
        </main>
        <dialog id="change" class="dialog" aria-labelledby="change-title">
          <div class="dialog-head"><h2 id="change-title"></h2>
            <button type="button" class="plain" data-close>Close</button></div>
          <p class="unseen" role="status"></p>
          <div id="change-body" class="dialog-body" tabindex="-1"></div>
          <div id="change-foot" class="dialog-foot"></div>
        </dialog>
        <dialog id="sync-dialog" class="dialog" aria-labelledby="sync-dialog-title">
          <div class="dialog-head"><h2 id="sync-dialog-title"></h2>
            <button type="button" class="plain" data-close>Close</button></div>
          <p class="unseen" role="status"></p>
          <div id="sync-dialog-body" class="dialog-body" tabindex="-1"></div>
          <div id="sync-dialog-foot" class="dialog-foot"></div>
        </dialog>
        <dialog id="compare" class="dialog broad" aria-labelledby="compare-title">
          <div class="dialog-head"><h2 id="compare-title">Compare generations</h2>
            <button type="button" class="plain" data-close>Close</button></div>
          <div class="dialog-body">
            <div class="choices">
              <label>From <select id="compare-from"></select></label>
              <label>To <select id="compare-to"></select></label>
              <label class="check"><input type="checkbox" id="compare-sides"> Side by side</label>
              <label class="check"><input type="checkbox" id="compare-whole"> Whole files</label>
            </div>
            <p id="compare-sum" class="sum" role="status"></p>
            <div id="compare-files" class="files" tabindex="0" role="region" aria-label="The effective files"></div>
          </div>
        </dialog>
        """#
}
