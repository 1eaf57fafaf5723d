"use strict";

const byId = (id) => document.getElementById(id);

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function showWarning(text) {
  byId("warning").textContent = text;
  byId("warning").hidden = !text;
}

function show(status) {
  byId("version").textContent = status.version;
  showWarning(status.warning || "");
  const isGoogle = new URL(status.upstream).hostname.endsWith(".googleapis.com");
  byId("upstream").textContent = `Answers come from ${status.upstream}, not from Google.`;
  byId("upstream").hidden = isGoogle;
  const accounts = status.accounts.map((entry) =>
    element("li", entry.account + (entry.active ? " (serves all requests)" : "")));
  byId("accounts").replaceChildren(...(accounts.length ? accounts : [element("li", "None is saved yet.")]));
  byId("models").replaceChildren(...status.models.map((model) => {
    const row = document.createElement("tr");
    row.append(
      element("td", model.id),
      element("td", model.context_length.toLocaleString(), "number"),
      element("td", model.max_output_tokens.toLocaleString(), "number"),
      element("td", model.input_modalities.join(", ")),
      element("td", model.reasoning_efforts.join(", ")),
    );
    return row;
  }));
}

async function load(key) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  try {
    // Not simply relative: a page whose own address holds a password may not ask for that.
    const response = await fetch(new URL("api/status", location.origin + location.pathname), { headers });
    const body = await response.json();
    byId("key-form").hidden = response.status !== 401;
    byId("status").hidden = !response.ok;
    if (response.ok) {
      show(body);
    } else {
      // Before a key was typed there is nothing wrong yet.
      const wrongKey = key ? "This is not the key. Type it again." : "";
      showWarning(response.status === 401 ? wrongKey : body.error.message);
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
