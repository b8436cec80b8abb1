import { Seats } from "../../core/work/session/seats.ts";
import type { HttpRequest, HttpResponse, HttpSender } from "../../lib/http.ts";

/**
 * A session refuses more than six requests at once. Fewer are sent: one that its asker has left is still being answered for
 * a moment.
 */
const AT_ONCE = 4;
/** Of these, so many may be files: somebody who downloads slowly leaves room to look at folders. */
const FILES_AT_ONCE = 3;
const FILE = /\/file(\?|$)/;

/** Requests to one session, of which no more are under way than it answers; the others wait for their turn. */
export class SeatedSender implements HttpSender {
  readonly #sender: HttpSender;
  readonly #seats = seats(AT_ONCE);
  readonly #fileSeats = seats(FILES_AT_ONCE);

  constructor(sender: HttpSender) {
    this.#sender = sender;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const taken: Seats[] = [];
    const leave = () => {
      for (const seat of taken.splice(0)) seat.giveBack();
    };
    try {
      const wanted = FILE.test(request.path) ? [this.#fileSeats, this.#seats] : [this.#seats];
      for (const seat of wanted) {
        await seat.take(request.signal ?? never);
        taken.push(seat);
      }
      const response = await this.#sender.send(request);
      return { ...response, body: whole(response.body, leave) };
    } catch (error) {
      leave();
      throw error;
    }
  }

  close(): void {
    this.#sender.close();
  }
}

const never = new AbortController().signal;

function seats(count: number): Seats {
  return new Seats({ count, onScarce() {} });
}

async function* whole(body: AsyncIterable<Uint8Array>, done: () => void): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } finally {
    done();
  }
}
