import WireHTTP

/// What may be stored, and for how long it is fresh.
extension RuleTests {
    static let tag: Fields = ["ETag": "\"1\""]

    static let storing: [Rule] = [
        Rule("3: a response without cache directives is stored", [:], up: .loaded, down: .stale),
        Rule("3: 'no-store' of the response", ["Cache-Control": "no-store, max-age=60"], up: .loaded, down: .failed),
        Rule("3: 'NO-STORE' in any case", ["Cache-Control": "max-age=60,NO-STORE"], up: .loaded, down: .failed),
        Rule(
            "5.2.1.5: 'no-store' of the request",
            ["Cache-Control": "max-age=60"],
            first: ["Cache-Control": "no-store"],
            up: .loaded,
            down: .failed
        ),
        Rule("3: 'private' allows this cache", ["Cache-Control": "private, max-age=60"], up: .hit, down: .hit),
        Rule(
            "3.5: responses to a request with 'Authorization'",
            ["Cache-Control": "max-age=60"],
            first: ["Authorization": "Bearer x"],
            then: ["Authorization": "Bearer x"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "3: a status without heuristic freshness is not stored without a directive",
            status: 302,
            [:],
            up: .loaded,
            down: .failed
        ),
        Rule("3: … and is stored with one", status: 302, ["Cache-Control": "max-age=60"], up: .hit, down: .hit),
        Rule("3: 404 is storable", status: 404, ["Cache-Control": "max-age=60"], up: .hit, down: .hit),
        Rule(
            "3.3: a partial response is not stored",
            status: 206,
            ["Content-Range": "bytes 0-1/9", "Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "server errors are not stored",
            status: 503,
            ["Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "a 401 is not stored",
            status: 401,
            ["Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "5.2.2.3: 'must-understand' of a known status",
            ["Cache-Control": "must-understand, no-store, max-age=60"],
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.2.2.3: 'must-understand' of an unknown status",
            status: 299,
            ["Cache-Control": "must-understand, max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "an event stream is not stored",
            ["Content-Type": "text/event-stream", "Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
        Rule(
            "4.1: 'Vary: *' matches no request",
            ["Vary": "Accept, *", "Cache-Control": "max-age=60"],
            up: .loaded,
            down: .failed
        ),
    ]

    static let freshness: [Rule] = [
        Rule("4.2: fresh before the lifetime ends", ["Cache-Control": "max-age=60"], after: 59, up: .hit, down: .hit),
        Rule(
            "4.2: stale when the lifetime ends",
            ["Cache-Control": "max-age=60"],
            after: 60,
            up: .loaded,
            down: .stale
        ),
        Rule(
            "4.2.1: 'max-age' precedes 'Expires'",
            ["Cache-Control": "max-age=60", "Expires": "@-100"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "4.2.1: 's-maxage' applies to shared caches",
            ["Cache-Control": "s-maxage=1, max-age=60"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule("4.2.1: 's-maxage' alone has no effect", ["Cache-Control": "s-maxage=60"], up: .loaded, down: .stale),
        Rule("4.2.1: 'Expires' relative to 'Date'", ["Expires": "@60"], after: 59, up: .hit, down: .hit),
        Rule("4.2.1: after 'Expires'", ["Expires": "@60"], after: 60, up: .loaded, down: .stale),
        Rule(
            "4.2.1: 'Expires' by the server's clock",
            ["Date": "@7200", "Expires": "@7260"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule("5.3: 'Expires: 0' is expired", ["Expires": "0"], up: .loaded, down: .stale),
        Rule(
            "4.2.1: two different values are invalid",
            ["Cache-Control": "max-age=60, max-age=90"],
            up: .loaded,
            down: .stale
        ),
        Rule(
            "4.2.1: two equal values are one",
            ["Cache-Control": "max-age=60, max-age=60"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "4.2.1: a value that is not a number is invalid",
            ["Cache-Control": "max-age=soon"],
            up: .loaded,
            down: .stale
        ),
        Rule("4.2.1: a negative value is invalid", ["Cache-Control": "max-age=-1"], up: .loaded, down: .stale),
        Rule(
            "1.2.2: an overflow counts as the maximum",
            ["Cache-Control": "max-age=99999999999999999999"],
            after: 86_400,
            up: .hit,
            down: .hit
        ),
        Rule("5.2: a quoted argument", ["Cache-Control": "max-age=\"60\""], after: 59, up: .hit, down: .hit),
        Rule(
            "5.2.3: unknown directives are ignored",
            ["Cache-Control": "wild, x=\"no-store, y\", max-age=60"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "4.2.2: a tenth of the time since Last-Modified",
            ["Last-Modified": "@-1000"],
            after: 99,
            up: .hit,
            down: .hit
        ),
        Rule("4.2.2: and no longer", ["Last-Modified": "@-1000"], after: 100, up: .validated, down: .stale),
        Rule("4.2.2: at most one hour", ["Last-Modified": "@-999999999"], after: 3_600, up: .validated, down: .stale),
        Rule(
            "4.2.2: no heuristic with an explicit lifetime",
            ["Last-Modified": "@-9000", "Expires": "0"],
            up: .validated,
            down: .stale
        ),
        Rule("4.2.3: 'Age' counts", ["Cache-Control": "max-age=60", "Age": "50"], after: 9, up: .hit, down: .hit),
        Rule(
            "4.2.3: 'Age' shortens the lifetime",
            ["Cache-Control": "max-age=60", "Age": "50"],
            after: 10,
            up: .loaded,
            down: .stale
        ),
        Rule(
            "4.2.3: 'Date' counts if it gives a higher age",
            ["Cache-Control": "max-age=60", "Date": "@-50", "Age": "3"],
            after: 10,
            up: .loaded,
            down: .stale
        ),
        Rule(
            "4.2.3: a server with a fast clock",
            ["Cache-Control": "max-age=60", "Date": "@500"],
            after: 59,
            up: .hit,
            down: .hit
        ),
        Rule(
            "5.1: an invalid 'Age' is ignored",
            ["Cache-Control": "max-age=60", "Age": "old"],
            after: 59,
            up: .hit,
            down: .hit
        ),
    ]
}
