// Light or dark: as the system says, until the reader says otherwise.
(() => {
  const root = document.documentElement;
  const keep = (value) => { try { localStorage.setItem("manyhands-theme", value); } catch { /* a sandboxed frame keeps nothing */ } };
  const kept = () => { try { return localStorage.getItem("manyhands-theme"); } catch { return null; } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  if (["light", "dark"].includes(kept())) root.dataset.theme = kept();
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const say = () => { button.textContent = isDark() ? "Light" : "Dark"; button.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`); };
    button.hidden = false;
    button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; keep(root.dataset.theme); say(); });
    system.addEventListener("change", say);
    say();
  });
})();
