// Writes server/domain/src/reveal/tables.rs from the Unicode data in Node:
//   node script/unicode-tables.mjs
// Only needed to move to a newer version of Unicode.
import { writeFileSync } from "node:fs";

const LAST = 0x10ffff;
const scripts = [
  "Latin", "Greek", "Cyrillic", "Armenian", "Cherokee", "Coptic", "Georgian", "Lisu",
  "Canadian_Aboriginal", "Deseret", "Old_Italic", "Gothic", "Warang_Citi", "Osage", "Tifinagh",
];

function ranges(holds) {
  const found = [];
  let start = -1;
  for (let code = 0; code <= LAST + 1; code += 1) {
    const surrogate = code >= 0xd800 && code < 0xe000;
    const inside = code <= LAST && !surrogate && holds(String.fromCodePoint(code));
    if (inside && start < 0) start = code;
    if (!inside && start >= 0) {
      found.push([start, code - 1]);
      start = -1;
    }
  }
  return found;
}

const property = (name) => {
  const pattern = new RegExp(`^\\p{${name}}$`, "u");
  return (character) => pattern.test(character);
};
const either = (one, other) => (character) => one(character) || other(character);
const literal = (code) => `'\\u{${code.toString(16).toUpperCase()}}'`;

function lines(items, perLine) {
  let text = "";
  for (let at = 0; at < items.length; at += perLine) {
    text += `    ${items.slice(at, at + perLine).join(" ")}\n`;
  }
  return text;
}

function table(name, comment, found) {
  const items = found.map(([first, last]) => `(${literal(first)}, ${literal(last)}),`);
  return `\n/// ${comment}\n#[rustfmt::skip]\npub(super) const ${name}: &[Range] = &[\n${lines(items, 4)}];\n`;
}

const scriptRanges = scripts
  .flatMap((script, index) => ranges(property(`Script=${script}`)).map((range) => [...range, index]))
  .sort((a, b) => a[0] - b[0])
  .map(([first, last, index]) => `(${literal(first)}, ${literal(last)}, ${index}),`);

const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
const composing = [];
for (let code = 0x300; code < 0x370; code += 1) {
  const mark = String.fromCodePoint(code);
  const bases = letters.filter((letter) => [...(letter + mark).normalize("NFC")].length === 1);
  if (bases.length > 0) composing.push(`    (${literal(code)}, "${bases.join("")}"),\n`);
}

const text = `//! Unicode ${process.versions.unicode}, as far as it is needed here. Made by
//! \`script/unicode-tables.mjs\`; do not edit.

/// From the first to the last of a run of characters.
pub(super) type Range = (char, char);
${table("UNASSIGNED", "Code points without a character (Cn).", ranges(property("Cn")))}\
${table("FORMAT", "Characters that only direct others (Cf).", ranges(property("Cf")))}\
${table("IGNORABLE", "What a font may leave out (`Default_Ignorable_Code_Point`).", ranges(property("Default_Ignorable_Code_Point")))}\
${table("MARKS", "Marks that stand on the character before (Mn, Me).", ranges(either(property("Mn"), property("Me"))))}\
${table("NEVER_NFC", "Characters that normal form C replaces.", ranges((c) => c.normalize("NFC") !== c))}
/// Scripts with letters that can be taken for those of another, and their
/// characters. Numbered: ${scripts.map((script, index) => `${index} ${script.replace("_", " ")}`).join(", ").replace(/(.{1,70})(?: |$)/g, "$1\n/// ").replace(/\n\/\/\/ $/, ".")}
#[rustfmt::skip]
pub(super) const SCRIPTS: &[(char, char, u8)] = &[
${lines(scriptRanges, 4)}];

/// Marks, and the ASCII letters with which normal form C makes one character of
/// each.
#[rustfmt::skip]
pub(super) const COMPOSES: &[(char, &str)] = &[
${composing.join("")}];
`;
const target = new URL("../server/domain/src/reveal/tables.rs", import.meta.url);
writeFileSync(target, text);
