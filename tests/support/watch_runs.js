// Notes whether the server still owes the page a run: from the question (field 11 of a message to the server), or the
// beginning of a run (field 4 of its answers), to the end of a run (field 6) that no other run follows (2). A message of
// Streamlit is a row of fields, each with its number and its kind: 0 is a number, 2 is so many bytes.
window.runsOwed = true;
const fieldsOfMessage = (data) => {
  const bytes = new Uint8Array(data), found = {};
  let at = 0;
  const number = () => {
    let value = 0, factor = 1;
    for (; bytes[at] > 127; factor *= 128) value += (bytes[at++] - 128) * factor;
    return value + bytes[at++] * factor;
  };
  while (at < bytes.length) {
    const tag = number(), value = number();
    found[tag >> 3] = value;
    if ((tag & 7) === 2) at += value;
  }
  return found;
};
window.WebSocket = class extends WebSocket {
  constructor(...options) {
    super(...options);
    this.addEventListener("message", ({ data }) => {
      const fields = fieldsOfMessage(data);
      if (4 in fields) window.runsOwed = true;
      if (6 in fields) window.runsOwed = fields[6] === 2;
    });
  }
  send(data) {
    if (11 in fieldsOfMessage(data)) window.runsOwed = true;
    super.send(data);
  }
};
