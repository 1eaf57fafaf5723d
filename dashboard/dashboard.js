"use strict";

const byId = (id) => document.getElementById(id);

function element(name, text, className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

function showAlert(id, text) {
  byId(id).textContent = text;
  byId(id).hidden = !text;
}

function share(remaining) {
  return remaining === null ? "unknown" : `${Math.round(remaining * 1000) / 10}%`;
}

const QUOTA_POOLS = { gemini: "Gemini models", "3p": "Claude and GPT-OSS models" };

function exclusionNote(out) {
  const models = out.quota_pool === null ? "all models" : QUOTA_POOLS[out.quota_pool];
  const until = out.until === null ? "until it has served once" : `until ${new Date(out.until).toLocaleString()}`;
  const note = element("p", `Out for ${models}, ${until}: ${out.message} `);
  if (out.url?.startsWith("https:")) {
    const link = element("a", "Open Google's page");
    Object.assign(link, { href: out.url, target: "_blank", rel: "noopener noreferrer" });
    note.append(link);
  }
  return note;
}

function accountItem(entry) {
  const item = element("li", entry.account + (entry.active ? " (serves all requests)" : ""));
  item.append(...entry.out.map(exclusionNote));
  return item;
}

function show(status) {
  byId("version").textContent = status.version;
  showAlert("warning", status.warning || "");
  const isGoogle = new URL(status.upstream).hostname.endsWith(".googleapis.com");
  byId("upstream").textContent = `Answers come from ${status.upstream}, not from Google.`;
  byId("upstream").hidden = isGoogle;
  const accounts = status.accounts.map(accountItem);
  byId("accounts").replaceChildren(...(accounts.length ? accounts : [element("li", "None is saved yet.")]));
  byId("models").replaceChildren(...status.models.map((model) => {
    const row = document.createElement("tr");
    row.append(
      element("td", model.id),
      element("td", model.context_length.toLocaleString(), "number"),
      element("td", model.max_output_tokens.toLocaleString(), "number"),
      element("td", model.input_modalities.join(", ")),
      element("td", model.reasoning_efforts.join(", ")),
      element("td", share(model.quota_remaining), "number"),
      element("td", model.source),
    );
    return row;
  }));
}

function limitRow(account, limit) {
  const row = document.createElement("tr");
  const bar = document.createElement("meter");
  const cell = element("td", "");
  if (limit.remaining !== undefined) {
    bar.value = limit.remaining;
    cell.append(bar, ` ${share(limit.remaining)}`);
  }
  const back = limit.resets_at ? new Date(limit.resets_at).toLocaleString() : "";
  row.append(
    element("td", account.account),
    element("td", limit.name ? `${limit.name}, ${limit.window}` : limit.id),
    cell,
    element("td", back),
    element("td", `${account.age_s} s ago`),
  );
  return row;
}

function showQuota(quota) {
  const rows = quota.accounts.flatMap((account) => {
    const limits = account.pools?.length ? account.pools : account.models || [];
    return limits.map((limit) => limitRow(account, limit));
  });
  byId("quota").replaceChildren(...rows);
  const notes = quota.accounts.flatMap((account) =>
    [account.error, account.summary_unavailable].filter(Boolean).map((text) => `${account.account}: ${text}`));
  byId("quota-notes").replaceChildren(...notes.map((text) => element("p", text)));
}

let apiKey = "";
let loginId = "";

async function ask(path, body) {
  const headers = apiKey ? { Authorization: `Bearer ${apiKey}` } : {};
  const options = body === undefined
    ? { headers }
    : { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  // Not simply relative: a page whose own address holds a password may not ask for that.
  const response = await fetch(new URL(path, location.origin + location.pathname), options);
  return [response, await response.json()];
}

async function loadQuota(path, body) {
  const [response, quota] = await ask(path, body);
  if (response.ok) {
    showQuota(quota);
  }
}

async function load(key) {
  apiKey = key;
  try {
    const [response, body] = await ask("api/status");
    byId("key-form").hidden = response.status !== 401;
    byId("status").hidden = !response.ok;
    if (response.ok) {
      show(body);
      await loadQuota("api/quota");
    } else {
      // Before a key was typed there is nothing wrong yet.
      const wrongKey = key ? "This is not the key. Type it again." : "";
      showAlert("warning", response.status === 401 ? wrongKey : body.error.message);
    }
  } catch {
    showAlert("warning", "The proxy does not answer. Is it still running?");
  }
}

const LOGIN_ENDS = {
  succeeded: (login) => `${login.account} is saved, and serves from the next request on.`,
  failed: (login) => login.message,
  cancelled: () => "The login was given up.",
};

function showLogin(login) {
  const isPending = login.status === "pending";
  byId("login").disabled = isPending;
  byId("login-steps").hidden = !isPending;
  byId("login-link").href = isPending ? login.auth_url : "";
  tellLogin(isPending
    ? (login.is_listening ? "Waiting for the browser …" : "The browser cannot come back by itself: paste the address.")
    : LOGIN_ENDS[login.status](login));
  if (!isPending) {
    showAlert("paste-problem", "");
  }
  if (login.status === "succeeded") {
    load(apiKey);
  }
}

function tellLogin(text) {
  byId("login-state").textContent = text;
}

async function stepLogin(path, body, tell = tellLogin) {
  try {
    const [response, login] = await ask(path, body);
    if (response.ok) {
      loginId = login.login_id;
      showLogin(login);
    } else if (body === undefined) {
      // Nobody knows the login that was asked about: another one can be begun.
      showLogin({ status: "failed", message: login.error.message });
    } else {
      tell(login.error.message);
    }
  } catch {
    tell("The proxy does not answer. Is it still running?");
  }
}

async function watchLogin() {
  const id = loginId;
  const goesOn = () => id === loginId && byId("login").disabled;
  while (goesOn()) {
    await new Promise((resolve) => { setTimeout(resolve, 1000); });
    if (goesOn()) {
      await stepLogin(`api/login/${id}`);
    }
  }
}

byId("login").addEventListener("click", async () => {
  await stepLogin("api/login", {});
  watchLogin();
});
byId("paste-form").addEventListener("submit", (event) => {
  event.preventDefault();
  // Beside what is told of the login, which is told anew every second.
  const tell = (text) => showAlert("paste-problem", text);
  tell("");
  stepLogin(`api/login/${loginId}/paste`, { url: byId("paste").value }, tell);
  byId("paste").value = "";
});
byId("login-cancel").addEventListener("click", () => stepLogin(`api/login/${loginId}/cancel`, {}));
byId("quota-refresh").addEventListener("click", () => loadQuota("api/quota/refresh", {}));
byId("base-url").textContent = `${location.origin}/v1`;
byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  load(byId("key").value);
});
load("");
