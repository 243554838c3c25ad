// A TypeScript program whose types come from the OpenAPI document. It casts nothing, and nothing
// is `any`.

import createClient from "openapi-fetch";

import type { components, paths } from "./build/api.js";

export type Payload = components["schemas"]["PostingPayload"];
export type Posting = components["schemas"]["PostingWithHistory"];

/** The job board, for a client with a token. */
export class Board {
  readonly #api;

  private constructor(url: string, token: string) {
    const headers = { Authorization: `Bearer ${token}` };
    this.#api = createClient<paths, "application/json">({ baseUrl: url, headers });
  }

  static async open(url: string, id: string, secret: string): Promise<Board> {
    const api = createClient<paths, "application/json">({ baseUrl: url });
    const { data, error } = await api.POST("/oauth/token", {
      body: { grant_type: "client_credentials", client_id: id, client_secret: secret },
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    if (!data) throw new Error(error.message);
    return new Board(url, data.access_token);
  }

  /** Pushes a posting, and returns its id. */
  async push(identifier: string, body: Payload): Promise<string> {
    const id = await this.#put(identifier, body, false);
    if (id === null) throw new Error("a push has no id");
    return id;
  }

  /** Asks what a push would do, unknown fields refused: the id of the posting, if there is one. */
  async dryRun(identifier: string, body: Payload): Promise<string | null> {
    return this.#put(identifier, body, true);
  }

  async #put(identifier: string, body: Payload, isDryRun: boolean): Promise<string | null> {
    const params = {
      path: { uniqueSourceIdentifier: identifier },
      ...(isDryRun && { query: { dry_run: true }, header: { Prefer: "handling=strict" } }),
    };
    const { data, error } = await this.#api.PUT(
      "/api/job-board/job-postings/{uniqueSourceIdentifier}",
      { params, body },
    );
    if (!data) {
      const fields = "errors" in error ? Object.entries(error.errors) : [];
      const list = fields.map(([field, messages]) => `${field}: ${messages.join(", ")}`);
      throw new Error([error.message, ...list].join("\n"));
    }
    return data.data.uuid;
  }

  async read(identifier: string): Promise<Posting> {
    const { data, error } = await this.#api.GET(
      "/api/job-board/job-postings/{uniqueSourceIdentifier}",
      { params: { path: { uniqueSourceIdentifier: identifier } } },
    );
    if (!data) throw new Error(error.message);
    return data.data;
  }
}

/** A posting with a list, a number, a nested object and a member of a vocabulary. */
export const POSTING: Payload = {
  title: "Gardener",
  raw_description: "<p>We are looking for a gardener who knows roses and hedges.</p>",
  application_url: "https://apply.example/gardener",
  employment_types: ["full-time"],
  salary_min: 30_000,
  salary_currency_code: "EUR",
  salary_period: "annually",
  company: { name: "Rosenhof", website_url: "https://rosenhof.example" },
};

// @ts-expect-error: a posting has no field with this misspelt name.
export const MISSPELT: Payload = { titel: "Gardener" };

/** A line that a page could show for a posting. */
export function summary(posting: Posting): string {
  const { title, company, salary_min, employment_types, history } = posting;
  const salary: string = salary_min === null ? "?" : salary_min.toFixed(2);
  const kinds: string[] = employment_types ?? [];
  const begun: string | undefined = history[0]?.status;
  return [title, company.name, salary, ...kinds, begun].join("; ");
}

// A compiler that accepts these would accept anything.
export const REFUSED: Payload[] = [
  // @ts-expect-error Not one of the vocabulary.
  { employment_types: ["now and then"] },
  // @ts-expect-error Not a number.
  { salary_min: "30000" },
];
