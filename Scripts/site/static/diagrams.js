// Draws the diagrams of a page, and draws them again when the reader changes between light and dark.
(() => {
  const darkSystem = matchMedia("(prefers-color-scheme: dark)");
  const diagrams = [...document.querySelectorAll("pre.mermaid")].map((element) => [element, element.textContent]);
  let drawnDark;
  let work = Promise.resolve();

  function isDark() {
    const theme = document.body.dataset.theme;
    return theme === "dark" || (theme !== "light" && darkSystem.matches);
  }

  async function draw() {
    if (drawnDark === isDark()) return;
    drawnDark = isDark();
    const fontFamily = getComputedStyle(document.body).fontFamily;
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: drawnDark ? "dark" : "neutral", fontFamily });
    for (const [element, text] of diagrams) {
      element.removeAttribute("data-processed");
      element.textContent = text;
    }
    await mermaid.run({ nodes: diagrams.map(([element]) => element) });
  }

  const drawNext = () => {
    work = work.then(draw, draw);
  };
  darkSystem.addEventListener("change", drawNext);
  new MutationObserver(drawNext).observe(document.body, { attributeFilter: ["data-theme"] });
  drawNext();
})();
