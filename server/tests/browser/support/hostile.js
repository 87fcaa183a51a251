// A proposal that tries to look like another one, and what must be seen of it.

const nested = (levels) => (levels === 0 ? 'at the bottom' : { deeper: nested(levels - 1) });

/** Every value that deceives somebody somewhere. */
export const DATA = {
  file: 'invoice\u202efdp.exe',
  payee: 'pay\u200bee\ufeff',
  tags: 'ok\u{e0068}\u{e0069}',
  picture: '<img src=x onerror="alert(document.domain)"><a href="https://elsewhere.example/">Click</a>',
  end: '</td></table></script><script>alert(1)</script><!-- "\'>',
  markdown: '[Approve](javascript:alert(1)) ![](https://elsewhere.example/pixel)',
  host: 'https://www.\u0430\u0440\u0440\u04cf\u0435.com/login',
  padded: `safe${' '.repeat(300)}--force`,
  lines: `first\r\n${'\n'.repeat(40)}last`,
  one: 1,
  one_text: '1',
  yes: true,
  yes_text: 'true',
  nothing: null,
  nothing_text: 'null',
  empty: '',
  empty_object: {},
  empty_list: [],
  '': 'under an empty key',
  'a\u202eb': 'under a reversed key',
  '0': 'under a key like a place in a list',
  long: `${'All work and no play. '.repeat(9_090)}${'\u200b'.repeat(19)}!`,
  deep: nested(60),
};

export const REASON = 'Approved by \u202eatiR</blockquote><script>alert(2)</script> https://elsewhere.example/';

/** A connection whose host imitates another. */
export const CONNECTOR = { connector: 'kinto', baseUrl: 'https://\u0430\u0440\u0440\u04cf\u0435.com/v1', credential: 'a:b' };

export function proposeHostile(agent) {
  const input = { bucket: 'b', collection: 'c', id: 'r', data: DATA };
  return agent.propose({ action: 'put_record', input, reason: REASON });
}
