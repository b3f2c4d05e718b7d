// Tables to begin with, made here by formulas, so that nobody else's rows are needed. The same rows come each time.

// Numbers between 0 and 1 from a small congruential generator.
function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const written = (value, digits) => value.toFixed(digits);

function lines(header, count, row) {
  const out = [header];
  for (let i = 0; i < count; ++i) out.push(row(i));
  return out.join("\n") + "\n";
}

// y = x + sin 2x and noise, without rows between 0.5 and 2: an interval should widen there.
function wave() {
  const random = uniform(11);
  return lines("x,y", 240, () => {
    let x = 0;
    do x = 6 * random() - 3;
    while (x > 0.5 && x < 2);
    return [written(x, 3), written(x + Math.sin(2 * x) + 0.2 * normal(random), 3)].join(",");
  });
}

// Coffee sold by a kiosk: less in rain, more at the station, and more on cold mornings; the noise grows with the amount.
function kiosk() {
  const random = uniform(5);
  const places = { station: 90, park: 45, harbour: 60 };
  const names = Object.keys(places);
  return lines("place,weekday,temperature,rain_mm,price,cups", 500, () => {
    const place = names[Math.floor(3 * random())];
    const day = Math.floor(7 * random());
    const temperature = 12 + 9 * normal(random);
    const rain = random() < 0.6 ? 0 : -6 * Math.log(1 - random());
    const price = 2 + 1.5 * random();
    let cups = places[place] * (day > 4 && place === "station" ? 0.5 : day > 4 ? 1.3 : 1);
    cups *= Math.exp(-0.02 * (temperature - 12) - 0.04 * rain - 0.3 * (price - 2.75));
    cups += 0.12 * cups * normal(random);
    const weekday = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day];
    return [place, weekday, written(temperature, 1), random() < 0.03 ? "" : written(rain, 1),
            written(price, 2), Math.max(0, Math.round(cups))].join(",");
  });
}

// Whether a parcel arrives late: distance, weight, weekday of posting; two classes that overlap.
function parcels() {
  const random = uniform(23);
  return lines("distance_km,weight_kg,express,posted,late", 500, () => {
    const distance = 20 + 780 * random();
    const weight = 0.2 + 9.8 * random() * random();
    const express = random() < 0.3;
    const day = Math.floor(6 * random());
    const score = -2.2 + distance / 220 + 0.12 * weight + (day === 5 ? 1.4 : 0) - (express ? 2.2 : 0);
    const late = random() < 1 / (1 + Math.exp(-score));
    return [Math.round(distance), written(weight, 1), express ? "yes" : "no",
            ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][day], late ? "late" : "in time"].join(",");
  });
}

export const samples = [
  { name: "kiosk.csv", title: "Coffee sold by a kiosk", about: "500 rows, an amount", make: kiosk },
  { name: "wave.csv", title: "A wave with a gap", about: "240 rows, one input", make: wave },
  { name: "parcels.csv", title: "Parcels that come late", about: "500 rows, two classes", make: parcels },
];
