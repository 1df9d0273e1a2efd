// Names of the kind that programs print. Templates have places for them: "{file}:{n}: no {name}".

const list = (words) => words.trim().split(/\s+/);

const names = list(`
  account archive batch broker buffer cache catalog channel checkout client codec config consumer cursor database
  device digest editor encoder engine event export filter folder gateway graph handler image index invoice journal
  kernel ledger license lookup mailer matrix merge metrics mirror module network notifier order parser payment planner
  player plugin pricing profile queue record registry render report resolver router sample scanner schema search
  session shader signal socket storage stream symbol table tenant thread ticket token tracker upload vector viewer
  volume widget worker writer
`);
// Harmless files whose names sound like trouble are in every real project.
const troubleNames = list('errors error_codes exception failure_policy panic_button assertions retry_failed');
const folders = list('src lib core net ui db util api app tools services/billing modules/auth');
const verbs = list('load store open parse merge write render encode verify resolve update sync');
const hosts = list('db-1 db-2 cache-1 api.internal queue-3 auth.internal mirror.local registry.local');
const endings = list('c cpp rs py go ts java rb');

export const fillers = {
  name: (random) => random.pick(names),
  trouble: (random) => random.pick(troubleNames),
  Name: (random) => {
    const name = random.pick(names);
    return name[0].toUpperCase() + name.slice(1);
  },
  verb: (random) => random.pick(verbs),
  folder: (random) => random.pick(folders),
  host: (random) => random.pick(hosts),
  file: (random) => `${random.pick(folders)}/${random.pick(names)}_${random.pick(names)}.${random.pick(endings)}`,
  stem: (random) => `${random.pick(folders)}/${random.pick(names)}_${random.pick(names)}`,
  n: (random) => String(random.betweenByMagnitude(1, 9999)),
  d: (random) => String(random.between(1, 9)),
  dd: (random) => String(random.between(10, 99)),
  ms: (random) => (random.betweenByMagnitude(1, 90000) / 100).toFixed(2),
  port: (random) => String(random.pick([5432, 6379, 8080, 9092, 3306, 27017, 443])),
  pid: (random) => String(random.between(200, 65000)),
  hex: (random) => random.hex(8),
  hex16: (random) => random.hex(16),
  ip: (random) => `10.${random.between(0, 255)}.${random.between(0, 255)}.${random.between(1, 254)}`,
};

// Puts words into a template's places; `more` holds further ones, by name.
export function fill(template, random, more = {}) {
  return template.replace(/\{(\w+)\}/g, (whole, place) => {
    if (place in more) return String(more[place]);
    return place in fillers ? fillers[place](random) : whole;
  });
}
