import WireHTTP

/// What may be stored, and for how long it is fresh.
extension RuleTests {
    static let tag: Fields = ["ETag": "\"1\""]

    static let storing: [Rule] = [
        Rule("3: without a word on caching an answer is stored for when it is needed", [:], up: .loaded, down: .stale),
        Rule("3: 'no-store' of the answer", ["Cache-Control": "no-store, max-age=60"], up: .loaded, down: .failed),
        Rule("3: 'NO-STORE' in any case", ["Cache-Control": "max-age=60,NO-STORE"], up: .loaded, down: .failed),
        Rule(
            "5.2.1.5: 'no-store' of the request",
            ["Cache-Control": "max-age=60"],
            first: ["Cache-Control": "no-store"],
            up: .loaded,
            down: .failed
        ),
        Rule("3: 'private' is what this cache is", ["Cache-Control": "private, max-age=60"], up: .hit, down: .hit),
        Rule(
            "3.5: answers to a request with 'Authorization'",
            ["Cache-Control": "max-age=60"],
            first: ["Authorization": "Bearer x"],
            then: ["Authorization": "Bearer x"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "3: a status nobody guesses about is not stored without a word",
            status: 302,
            [:],
            up: .loaded,
            down: .failed
        ),
        Rule("3: … and is with one", status: 302, ["Cache-Control": "max-age=60"], up: .hit, down: .hit),
        Rule("3: 404 is an answer", status: 404, ["Cache-Control": "max-age=60"], up: .hit, down: .hit),
        Rule(
            "3.3: a part is not stored",
            status: 206,
            ["Content-Range": "bytes 0-1/9", "Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "errors of the server are not stored",
            status: 503,
            ["Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "what asks for credentials is not stored",
            status: 401,
            ["Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.2.2.3: 'must-understand' of a status that is understood",
            ["Cache-Control": "must-understand, no-store, max-age=60"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.2.3: 'must-understand' of one that is not",
            status: 299,
            ["Cache-Control": "must-understand, max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "a stream of events is not stored",
            ["Content-Type": "text/event-stream", "Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "4.1: 'Vary: *' fits no request",
            ["Vary": "Accept, *", "Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
    ]

    static let freshness: [Rule] = [
        Rule("4.2: fresh before the end", ["Cache-Control": "max-age=60"], after: 59, up: .hit, down: .hit),
        Rule("4.2: not fresh at the end", ["Cache-Control": "max-age=60"], after: 60, up: .loaded, down: .stale),
        Rule(
            "4.2.1: 'max-age' before 'Expires'",
            ["Cache-Control": "max-age=60", "Expires": "@-100"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "4.2.1: 's-maxage' is for shared caches",
            ["Cache-Control": "s-maxage=1, max-age=60"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule("4.2.1: 's-maxage' alone says nothing", ["Cache-Control": "s-maxage=60"], up: .loaded, down: .stale),
        Rule("4.2.1: 'Expires' against 'Date'", ["Expires": "@60"], after: 59, up: .hit, down: .hit),
        Rule("4.2.1: past 'Expires'", ["Expires": "@60"], after: 60, up: .loaded, down: .stale),
        Rule(
            "4.2.1: 'Expires' by the clock of the server",
            ["Date": "@7200", "Expires": "@7260"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule("5.3: 'Expires: 0' is over", ["Expires": "0"], up: .loaded, down: .stale),
        Rule("4.2.1: two that differ are none", ["Cache-Control": "max-age=60, max-age=90"], up: .loaded, down: .stale),
        Rule(
            "4.2.1: twice the same is once",
            ["Cache-Control": "max-age=60, max-age=60"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule("4.2.1: no number is none", ["Cache-Control": "max-age=soon"], up: .loaded, down: .stale),
        Rule("4.2.1: less than none is none", ["Cache-Control": "max-age=-1"], up: .loaded, down: .stale),
        Rule(
            "1.2.2: more than a number holds is long",
            ["Cache-Control": "max-age=99999999999999999999"],
            after: 86_400,
            up: .hit,
            down: .hit
        ),
        Rule("5.2: an argument in quotes", ["Cache-Control": "max-age=\"60\""], after: 59, up: .hit, down: .hit),
        Rule(
            "5.2.3: unknown directives are left out",
            ["Cache-Control": "wild, x=\"no-store, y\", max-age=60"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "4.2.2: a tenth of the time since the change",
            ["Last-Modified": "@-1000"],
            after: 99,
            up: .hit,
            down: .hit
        ),
        Rule("4.2.2: and not longer", ["Last-Modified": "@-1000"], after: 100, up: .validated, down: .stale),
        Rule("4.2.2: an hour at most", ["Last-Modified": "@-999999999"], after: 3_600, up: .validated, down: .stale),
        Rule(
            "4.2.2: nothing is guessed where it is said",
            ["Last-Modified": "@-9000", "Expires": "0"],
            up: .validated,
            down: .stale
        ),
        Rule("4.2.3: 'Age' counts", ["Cache-Control": "max-age=60", "Age": "50"], after: 9, up: .hit, down: .hit),
        Rule(
            "4.2.3: 'Age' ends it sooner",
            ["Cache-Control": "max-age=60", "Age": "50"],
            after: 10,
            up: .loaded,
            down: .stale
        ),
        Rule(
            "4.2.3: 'Date' counts where it says more",
            ["Cache-Control": "max-age=60", "Date": "@-50", "Age": "3"],
            after: 10,
            up: .loaded,
            down: .stale
        ),
        Rule(
            "4.2.3: a server whose clock is ahead",
            ["Cache-Control": "max-age=60", "Date": "@500"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.1: an 'Age' that is none is left out",
            ["Cache-Control": "max-age=60", "Age": "old"],
            after: 59,
            up: .hit,
            down: .hit
        ),
    ]
}
