"use strict";

const byId = (id) => document.getElementById(id);

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function showWarning(text) {
  byId("warning").textContent = text;
  byId("warning").hidden = !text;
}

function show(status) {
  byId("version").textContent = status.version;
  showWarning(status.warning || "");
  const accounts = status.accounts.map((entry) =>
    element("li", entry.account + (entry.active ? " (serves all requests)" : "")));
  byId("accounts").replaceChildren(...(accounts.length ? accounts : [element("li", "None is saved yet.")]));
  byId("models").replaceChildren(...status.models.map((model) => {
    const row = document.createElement("tr");
    row.append(
      element("td", model.id),
      element("td", model.context_length.toLocaleString()),
      element("td", model.max_output_tokens.toLocaleString()),
      element("td", model.input_modalities.join(", ")),
      element("td", model.reasoning_efforts.join(", ")),
    );
    return row;
  }));
}

async function load(key) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  try {
    const response = await fetch("api/status", { headers });
    const body = await response.json();
    byId("key-form").hidden = response.status !== 401;
    if (response.ok) {
      show(body);
    } else {
      showWarning(body.error.message);
    }
  } catch {
    showWarning("The proxy does not answer. Is it still running?");
  }
}

byId("base-url").textContent = `${location.origin}/v1`;
byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  load(byId("key").value);
});
load("");
