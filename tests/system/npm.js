// SPDX-License-Identifier: BSD-3-Clause
// An SNMP client that shares no code with Net-SNMP: the npm package net-snmp.
//
//   NODE_PATH=.../node_modules node npm.js PORT VERSION walk next|bulk OID
//     prints a line ".OID = TYPE: value" for each object, as snmpwalk -On -Ox does
//   ... PORT VERSION get
//     prints such lines for the OIDs on standard input, 20 OIDs a request
//   ... PORT VERSION set
//     sends a SET for each line "OID TYPE VALUE [OID TYPE VALUE]..." of standard input and
//     prints noError, or the error-status and the number of the varbind at fault
//
// VERSION is v2c or v3 (authPriv). TYPE is a letter as for snmpset, or c for Counter32,
// C for Counter64.
'use strict';
const fs = require('fs');
const snmp = require('net-snmp');

const [port, version, what, how, root] = process.argv.slice(2);
const target = { port: Number(port), retries: 0, timeout: 60000, idBitsSize: 32 };

function open() {
	if (version === 'v2c')
		return snmp.createSession('127.0.0.1', 'private', { ...target, version: snmp.Version2c });
	const user = {
		name: 'rw1',
		level: snmp.SecurityLevel.authPriv,
		authProtocol: snmp.AuthProtocols.sha256,
		authKey: 'authpass1',
		privProtocol: snmp.PrivProtocols.aes,
		privKey: 'privpass1',
	};
	return snmp.createV3Session('127.0.0.1', user, { ...target, version: snmp.Version3 });
}

const session = open();
session.on('error', (error) => {
	console.log(`session: ${error.message}`);
	process.exit(1);
});

// Promises instead of the package's callbacks.
const call = (method, ...args) => new Promise((resolve, reject) => {
	session[method](...args, (error, varbinds) => (error ? reject(error) : resolve(varbinds)));
});

// --- values as text ------------------------------------------------------------

function hex(buffer) {
	return [...buffer].map((b) => b.toString(16).toUpperCase().padStart(2, '0') + ' ').join('');
}

const names = {
	[snmp.ObjectType.Integer]: 'INTEGER',
	[snmp.ObjectType.Gauge]: 'Gauge32',
	[snmp.ObjectType.Counter]: 'Counter32',
	[snmp.ObjectType.Counter64]: 'Counter64',
	[snmp.ObjectType.TimeTicks]: 'Timeticks',
};

// As snmpwalk prints it: 1 day, 2:03:04.05.
function elapsed(ticks) {
	const two = (n) => String(n).padStart(2, '0');
	const days = Math.floor(ticks / 8640000);
	const time = `${Math.floor(ticks / 360000) % 24}:${two(Math.floor(ticks / 6000) % 60)}` +
		`:${two(Math.floor(ticks / 100) % 60)}.${two(ticks % 100)}`;
	return days ? `${days} day${days === 1 ? '' : 's'}, ${time}` : time;
}

function text(varbind) {
	const { oid, type, value } = varbind;
	if (snmp.isVarbindError(varbind))
		return `.${oid} = ${snmp.varbindError(varbind)}`;
	if (type === snmp.ObjectType.OctetString)
		return `.${oid} = ${value.length ? `Hex-STRING: ${hex(value)}` : '""'}`;
	if (type === snmp.ObjectType.TimeTicks)
		return `.${oid} = Timeticks: (${value}) ${elapsed(value)}`;
	if (type === snmp.ObjectType.Counter64)
		return `.${oid} = Counter64: ${BigInt('0x' + (value.toString('hex') || '0'))}`;
	return `.${oid} = ${names[type] || type}: ${value}`;
}

// --- walk, get --------------------------------------------------------------------

async function walk() {
	for (let at = root; ;) {
		const found = how === 'next' ? await call('getNext', [at])
			: (await call('getBulk', [at], 0, 30))[0];
		for (const varbind of found) {
			if (snmp.isVarbindError(varbind) || !`${varbind.oid}.`.startsWith(`${root}.`))
				return;
			console.log(text(varbind));
			at = varbind.oid;
		}
	}
}

async function get() {
	const oids = lines();
	while (oids.length > 0)
		for (const varbind of await call('get', oids.splice(0, 20)))
			console.log(text(varbind));
}

function lines() {
	return fs.readFileSync(0, 'utf8').split('\n').filter((line) => line !== '');
}

// --- set ----------------------------------------------------------------------------

const makers = {
	i: (value) => [snmp.ObjectType.Integer, Number(value)],
	u: (value) => [snmp.ObjectType.Gauge, Number(value)],
	c: (value) => [snmp.ObjectType.Counter, Number(value)],
	C: (value) => [snmp.ObjectType.Counter64, Buffer.from(BigInt(value).toString(16).padStart(16, '0'), 'hex')],
	t: (value) => [snmp.ObjectType.TimeTicks, Number(value)],
	x: (value) => [snmp.ObjectType.OctetString, Buffer.from(value, 'hex')],
	a: (value) => [snmp.ObjectType.IpAddress, value],
};

function varbindsOf(line) {
	const words = line.split(' ');
	const varbinds = [];
	for (let i = 0; i + 2 < words.length; i += 3) {
		const [type, value] = makers[words[i + 1]](words[i + 2]);
		varbinds.push({ oid: words[i], type, value });
	}
	return varbinds;
}

// The package has the number of the varbind only in the message.
function errorText(error) {
	if (error.status === undefined) return error.message;
	const name = snmp.ErrorStatus[error.status];
	return name[0].toLowerCase() + name.slice(1);
}

async function set() {
	for (const line of lines()) {
		try {
			await call('set', varbindsOf(line));
			console.log('noError');
		} catch (error) {
			console.log(errorText(error));
		}
	}
}

({ walk, get, set })[what]().then(() => session.close(), (error) => {
	console.log(`${what}: ${error.message}`);
	process.exit(1);
});
