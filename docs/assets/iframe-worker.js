/* A browser starts no Worker from a file, so that search would need a server. On file: pages a hidden frame takes the place of
   the Worker: it runs the same script and passes the same messages. The name of this file tells MkDocs Material that there is
   such a replacement, so that it does not load one from the network. */
(() => {
  if (location.protocol !== "file:") return;
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => this.answer(data);
      inner.importScripts = (...scripts) => Promise.all(scripts.map((script) => this.load(script)));
      this.load(url).then(() => {
        this.ready = true;
        this.waiting.forEach((data) => this.tell(data));
      });
    }
    load(url) {
      const script = this.frame.contentDocument.createElement("script");
      script.src = new URL(url, location.href).href;
      return new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = reject;
        this.frame.contentDocument.body.append(script);
      });
    }
    tell(data) {
      const inner = this.frame.contentWindow;
      const event = new inner.MessageEvent("message", { data });
      inner.dispatchEvent(event);
      if (typeof inner.onmessage === "function") inner.onmessage(event);
    }
    answer(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (typeof this.onmessage === "function") this.onmessage(event);
    }
    postMessage(data) {
      if (this.ready) this.tell(data);
      else this.waiting.push(data);
    }
    terminate() {
      this.frame.remove();
    }
  };
})();
