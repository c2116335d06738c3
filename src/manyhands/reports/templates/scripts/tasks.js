// Two orders of the same tasks.
(() => {
  const list = document.getElementById("task-list");
  if (!list) return;
  const items = [...list.children];
  function show(order) {
    for (const item of items) item.hidden = item.dataset[order] === undefined;
    list.append(...items.filter((item) => !item.hidden).sort((a, b) => a.dataset[order] - b.dataset[order]));
  }
  for (const input of document.querySelectorAll('input[name="order"]')) {
    input.addEventListener("change", () => show(input.value));
    if (input.checked) show(input.value);
  }
})();
