// Optional enhancements of the reference; every page works without them.

const menu = document.querySelector(".menu details");
const label = menu?.querySelector(".filter");
const input = label?.querySelector("input");

if (input) {
  label.hidden = false;
  input.addEventListener("input", () => filter(input.value));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !isTyping(event)) {
      event.preventDefault();
      menu.open = true;
      input.focus();
    } else if (event.key === "Escape" && event.target === input) {
      input.value = "";
      filter("");
    }
  });
}

function isTyping({ target, ctrlKey, metaKey, altKey }) {
  return ctrlKey || metaKey || altKey || target.closest("input, textarea, select") !== null;
}

/** Shows the entries that contain every word, and the sections with such an entry. */
function filter(text) {
  const words = text.toLowerCase().split(/\s+/);
  for (const section of menu.querySelectorAll("section")) {
    let found = false;
    for (const entry of section.querySelectorAll("li")) {
      const content = `${section.querySelector(".part").textContent} ${entry.textContent}`.toLowerCase();
      entry.hidden = !words.every((word) => content.includes(word));
      found ||= !entry.hidden;
    }
    section.hidden = !found;
  }
}

// The menu scrolls by itself: bring the current page's entry into view without moving the page.
const current = menu?.querySelector("[aria-current]");
const entries = menu?.querySelector(".entries");
if (current && entries) {
  const middle = current.getBoundingClientRect().top - entries.getBoundingClientRect().top - entries.clientHeight / 2;
  if (middle > 0) entries.scrollTop = middle;
}

for (const sample of document.querySelectorAll(".sample")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(sample, button));
  sample.querySelector("figcaption").append(button);
}

async function copy(sample, button) {
  try {
    await navigator.clipboard.writeText(sample.querySelector("pre").textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(sample.querySelector("pre"));
    button.textContent = "Selected";
  }
  setTimeout(() => {
    button.textContent = "Copy";
  }, 2_000);
}
